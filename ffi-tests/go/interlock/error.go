// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"
)

// Error is how a call failed.
//
// errors.Is finds the errno in it: errors.Is(err, syscall.EINVAL), and with it what the standard library makes of
// one: errors.Is(err, fs.ErrNotExist).
type Error struct {
	// Code is an errno if positive, a negated cudaError if negative.
	Code int
	// Message says what was expected, what was found and what to do. It is empty if there was no memory for it.
	Message string
}

func (e *Error) Error() string {
	switch {
	case e.Message != "":
		return "interlock: " + e.Message
	case e.Code > 0:
		return "interlock: " + syscall.Errno(e.Code).Error()
	default:
		return fmt.Sprintf("interlock: CUDA error %d", -e.Code)
	}
}

// Unwrap returns the errno, and nil if the error is CUDA's.
func (e *Error) Unwrap() error {
	if e.Code > 0 {
		return syscall.Errno(e.Code)
	}
	return nil
}

// take turns what a C function returned into an error, and frees it.
func take(e C.interlock_error) error {
	if e.code == 0 {
		return nil
	}
	defer C.free(unsafe.Pointer(e.message))
	return &Error{Code: int(e.code), Message: C.GoString(e.message)}
}

func invalid(format string, args ...any) error {
	return &Error{Code: int(syscall.EINVAL), Message: fmt.Sprintf(format, args...)}
}
