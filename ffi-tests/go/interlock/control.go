// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// BackendChoice is which backend is to prove.
type BackendChoice int

const (
	// AutoBackend is a GPU where one can prove, else the CPU.
	AutoBackend BackendChoice = C.INTERLOCK_BACKEND_AUTO
	// CPUBackend is the CPU.
	CPUBackend BackendChoice = C.INTERLOCK_BACKEND_CPU
	// GPUBackend is a GPU, and an error where none can prove.
	GPUBackend BackendChoice = C.INTERLOCK_BACKEND_GPU
)

// Version returns the library's version, such as "0.1.0".
func Version() string {
	return C.GoString(C.interlock_version())
}

// Backend returns the name of the backend that would prove now, "cpu" or "gpu". If none would, the error says why; its
// code is ENODEV.
func Backend() (string, error) {
	var why *C.char
	name := C.bridge_current_backend(&why)
	if name != nil {
		return C.GoString(name), nil
	}
	defer C.free(unsafe.Pointer(why))
	return "", &Error{Code: int(syscall.ENODEV), Message: C.GoString(why)}
}

// BackendStatus is nil if a backend could prove now, and says why not otherwise, with ENODEV. It ignores INTERLOCK_BACKEND.
func BackendStatus(choice BackendChoice) error {
	return take(C.interlock_backend_status(C.int(choice)))
}

// ReleaseGPUMemory gives device memory back to the system that no parameters and no proof need now. It does nothing where
// there is no GPU.
func ReleaseGPUMemory() error {
	return take(C.interlock_release_gpu_memory())
}

// SetBackend chooses which backend proves from now on, whatever the environment variable INTERLOCK_BACKEND says. If no
// GPU can prove, GPUBackend is refused with ENODEV and nothing is changed.
func SetBackend(choice BackendChoice) error {
	return take(C.interlock_set_backend(C.int(choice)))
}

// Devices describes the CUDA devices, in CUDA's order: name, memory and compute capability, a line each. If there are
// none, the error is ENODEV and says why.
func Devices() ([]string, error) {
	var count C.size_t
	if err := take(C.interlock_device_count(&count)); err != nil {
		return nil, err
	}
	devices := make([]string, count)
	for i := range devices {
		var text *C.char
		if err := take(C.interlock_device_text(C.size_t(i), &text)); err != nil {
			return nil, err
		}
		devices[i] = C.GoString(text)
		C.free(unsafe.Pointer(text))
	}
	return devices, nil
}
