// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import "runtime"

// Prove proves circuits that share one SRS and returns one proof for each, in order.
//
// r and s are the blinding scalars, one each a circuit. locks may be nil. The proofs are a pure function of the circuits,
// r, s and the SRS. With no circuits it succeeds and looks at nothing.
//
// A proof that runs cannot be interrupted; [Start] divides it in two. Errors are those of generate_groth16_proofs_c in
// interlock.h: EINVAL for an argument that is wrong, ENOMEM, ENODEV, a negated cudaError.
func Prove(circuits []Assignment, r, s []Fr, srs *SRS, locks *Locks) ([]Proof, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	provers, err := lay(circuits, r, s, &pins, &pins)
	if err != nil {
		return nil, err
	}
	proofs := make([]Proof, len(circuits))
	err = take(C.bridge_prove(first(provers), C.size_t(len(provers)), scalars(r), scalars(s), room(proofs),
		srs.handle(), locks.handle()))
	runtime.KeepAlive(srs)
	runtime.KeepAlive(locks)
	if err != nil {
		return nil, err
	}
	return proofs, nil
}
