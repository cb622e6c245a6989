// SPDX-License-Identifier: MIT OR Apache-2.0

// Package interlock makes Groth16 proofs over BLS12-381 with the interlock library, on a GPU where there is one.
//
//	srs, err := interlock.OpenSRS("circuit.params", true)
//	if err != nil {
//		return err
//	}
//	defer srs.Close()
//	proofs, err := interlock.Prove(circuits, r, s, srs, nil)
//
// Any goroutine may call any function, several at once. A failed call returns an [*Error] that names the argument, what
// it was and what it had to be; arguments have the names of the C header, such as provers[0].aux_assignment_size.
//
// # Memory
//
// The library reads slices where they are, without copying them. They are pinned for as long as the library needs them
// and may also lie in memory that Go did not allocate, such as a pool of page-locked memory. Nothing may write to them
// during a call; see [Start] for what must stay unchanged after one.
//
// # Linking
//
// pkg-config must find interlock.pc. The static library is linked, and the shared one with the build tag
// interlock_shared.
package interlock
