// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"runtime"
	"sync"
)

// Pending is a batch of proofs that [Start] began. Any goroutine may finish it.
//
// One that is no longer reachable is destroyed by the garbage collector, some time; until then it holds memory, and
// perhaps a GPU.
type Pending struct {
	mu       sync.Mutex
	token    C.uintptr_t
	circuits int
	pins     runtime.Pinner
}

// Start begins the proofs that [Prove] makes. When it returns, r, s, the slice circuits, and A, B and C of each circuit
// are no longer needed and may be written to.
//
// The densities, Inp and Aux must not be written to until [Pending.Finalize] or [Pending.Destroy] has returned. The
// Pending keeps them in memory; the caller need not. More batches may be begun while this one is pending.
func Start(circuits []Assignment, r, s []Fr, srs *SRS, locks *Locks) (*Pending, error) {
	var brief runtime.Pinner
	defer brief.Unpin()
	p := &Pending{circuits: len(circuits)}
	if err := p.start(circuits, r, s, srs, locks, &brief); err != nil {
		p.pins.Unpin()
		return nil, err
	}
	// Destroying waits for what runs, and one goroutine runs all finalizers.
	runtime.SetFinalizer(p, func(p *Pending) { go p.Destroy() })
	return p, nil
}

func (p *Pending) start(circuits []Assignment, r, s []Fr, srs *SRS, locks *Locks, brief *runtime.Pinner) error {
	provers, err := lay(circuits, r, s, &p.pins, brief)
	if err != nil {
		return err
	}
	var token C.uintptr_t
	err = take(C.bridge_start(first(provers), C.size_t(len(provers)), scalars(r), scalars(s),
		srs.handle(), locks.handle(), &token))
	runtime.KeepAlive(srs)
	runtime.KeepAlive(locks)
	p.token = token
	return err
}

// Finalize finishes the proofs and returns one for each circuit, in order. It uses p up, whether it succeeds or not; a
// second call is an error.
func (p *Pending) Finalize() ([]Proof, error) {
	// Held during the work, so that another goroutine's Destroy does not return while the library reads the witness.
	p.mu.Lock()
	defer p.mu.Unlock()
	proofs := make([]Proof, p.circuits)
	err := take(C.bridge_finalize(p.token, room(proofs)))
	p.pins.Unpin()
	if err != nil {
		return nil, err
	}
	return proofs, nil
}

// Destroy gives the proofs up. After Finalize or another Destroy it does nothing, so that it can be deferred.
func (p *Pending) Destroy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	C.bridge_destroy_pending(p.token)
	p.pins.Unpin()
}
