// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"
)

// SRS is a reference to the loaded proving parameters of one circuit. The zero value is an empty one.
type SRS struct {
	token  C.uintptr_t
	closed atomic.Bool
}

// OpenSRS loads a parameter file and returns when every point of it has been read and checked.
//
// A file that is in memory already is shared and not read again. With cache it stays in memory also when the last SRS is
// closed, until [SRS.Evict]; the four files (INTERLOCK_SRS_CACHE) used last are kept.
//
// Errors are those of create_SRS in interlock.h, such as ENOENT, EISDIR, and EOVERFLOW for a truncated file.
func OpenSRS(path string, cache bool) (*SRS, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, invalid("path is %q, but a path holds no NUL", path)
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var token C.uintptr_t
	if err := take(C.bridge_create_srs(&token, name, C.bool(cache))); err != nil {
		return nil, err
	}
	return newSRS(token), nil
}

func newSRS(token C.uintptr_t) *SRS {
	s := &SRS{token: token}
	runtime.SetFinalizer(s, (*SRS).Close)
	return s
}

// Clone returns another reference to the same parameters, to be closed by itself.
func (s *SRS) Clone() (*SRS, error) {
	if !s.open() {
		return nil, errClosed()
	}
	token := C.bridge_clone_srs(s.token)
	runtime.KeepAlive(s)
	if token == 0 {
		return nil, errClosed()
	}
	return newSRS(token), nil
}

// Evict drops the cache's own reference to the parameters; they go when the last SRS and the last proof that use them
// do.
func (s *SRS) Evict() error {
	if !s.open() {
		return errClosed()
	}
	C.bridge_evict_srs(s.token)
	runtime.KeepAlive(s)
	return nil
}

// Close ends this reference. Proofs that use the parameters go on. A second Close does nothing. An SRS that is no longer
// reachable is closed by the garbage collector, some time.
func (s *SRS) Close() error {
	if s.open() && s.closed.CompareAndSwap(false, true) {
		C.bridge_drop_srs(s.token)
	}
	return nil
}

func (s *SRS) open() bool {
	return s.handle() != 0 && !s.closed.Load()
}

// handle is what the library is given; it is never used twice, so that the library itself tells a closed one.
func (s *SRS) handle() C.uintptr_t {
	if s == nil {
		return 0
	}
	return s.token
}

func errClosed() error {
	return invalid("the SRS is closed, or never was opened")
}
