// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"time"
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

// SetDevice sets the device of proofs with these locks, in CUDA's order, or -1 to let the library choose for each, which is
// so at first. It is ENODEV where there are no devices, and EINVAL where there is none of that number.
func (l *Locks) SetDevice(device int) error {
	defer runtime.KeepAlive(l)
	return take(C.bridge_set_device(l.handle(), C.int(device)))
}

// SetWorkers sets how many calls with these locks do their work at once, 0 for as many as are made, which is so at first;
// the others wait, first come, first served.
func (l *Locks) SetWorkers(workers uint) error {
	defer runtime.KeepAlive(l)
	return take(C.bridge_set_workers(l.handle(), C.size_t(workers)))
}

// SetBudget sets the most bytes of device memory that a call with these locks plans with, beside scratch,
// parameters and what else serves all calls on a device; 0 for what the device has to give, which is so at first.
func (l *Locks) SetBudget(bytes uint) error {
	defer runtime.KeepAlive(l)
	return take(C.bridge_set_budget(l.handle(), C.size_t(bytes)))
}

// LockStatistics is what the calls with some locks did since those were made.
type LockStatistics struct {
	// Calls counts calls whose work began, after their checks; one with several circuits is one.
	Calls uint64
	// Waits is how often one of them waited, for others or for device memory, and Waited how long in all.
	Waits  uint64
	Waited time.Duration
	// Bytes of device memory that they were given in all; 0 on the CPU.
	Bytes uint64
}

// Statistics returns what the calls with these locks did.
func (l *Locks) Statistics() (LockStatistics, error) {
	defer runtime.KeepAlive(l)
	var s C.interlock_gpu_locks_statistics
	if err := take(C.bridge_get_statistics(l.handle(), &s)); err != nil {
		return LockStatistics{}, err
	}
	return LockStatistics{
		Calls:  uint64(s.calls),
		Waits:  uint64(s.waits),
		Waited: time.Duration(s.waited_ns),
		Bytes:  uint64(s.bytes),
	}, nil
}

// handle is what the library is given; it is never used twice, so that the library itself tells a closed one.
func (l *Locks) handle() C.uintptr_t {
	if l == nil {
		return 0
	}
	return l.token
}
