// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"runtime"
	"sync/atomic"
)

// Locks is a place in the GPUs' queues for proofs to share. One serves any number of goroutines and proofs; nil, and the
// zero value, stand for one of the library's own.
type Locks struct {
	token  C.uintptr_t
	closed atomic.Bool
}

// NewLocks returns a place of its own.
func NewLocks() *Locks {
	l := &Locks{token: C.bridge_create_locks()}
	runtime.SetFinalizer(l, (*Locks).Close)
	return l
}

// Close gives the place up. Proofs that are using it go on, and proofs that begin with it later fail. A second Close does
// nothing. Locks that are no longer reachable are closed by the garbage collector, some time.
func (l *Locks) Close() error {
	if l.handle() != 0 && l.closed.CompareAndSwap(false, true) {
		C.bridge_destroy_locks(l.token)
	}
	return nil
}

// handle is what the library is given; it is never used twice, so that the library itself tells a closed one.
func (l *Locks) handle() C.uintptr_t {
	if l == nil {
		return 0
	}
	return l.token
}
