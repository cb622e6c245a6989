// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"
)

// Fr is a scalar: 4 limbs, least significant first, in Montgomery form with R = 2^256, below the group order.
type Fr [4]uint64

// G1 is an affine point: 6 limbs a coordinate, least significant first, in Montgomery form with R = 2^384. The point at
// infinity is all zeros.
type G1 struct{ X, Y [6]uint64 }

// G2 is an affine point over Fp2, whose elements are X[0] + X[1]·u; otherwise as [G1].
type G2 struct{ X, Y [2][6]uint64 }

// Proof is a Groth16 proof.
type Proof struct {
	A G1
	B G2
	C G1
}

// Density says which variables have a point in a query: bit i of word i/64 is set for those. Bits past the first Bits
// are ignored.
type Density struct {
	Words []uint64
	Bits  int
}

// Assignment is one circuit's input.
type Assignment struct {
	// AAuxDensity and BAuxDensity have one bit for each private variable, BInpDensity one for each public input: which
	// have a point in the a query, and in the b_g1 and b_g2 queries. (All public inputs have one in the a query.)
	AAuxDensity, BInpDensity, BAuxDensity Density
	// A, B and C are the evaluations of the constraints, of one length.
	A, B, C []Fr
	// Inp holds the public inputs, the constant one first.
	Inp []Fr
	// Aux holds the private variables.
	Aux []Fr
}

// The Go types are handed over as they lie in memory.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Fr{})-uintptr(C.sizeof_interlock_fr)]
	_ = [1]struct{}{}[unsafe.Sizeof(Proof{})-uintptr(C.sizeof_interlock_proof)]
)

// lay lays out a call's input for C. What the library needs until the proofs are there is pinned by lasting, and by brief
// what it needs during the call.
func lay(circuits []Assignment, r, s []Fr, lasting, brief *runtime.Pinner) ([]C.interlock_assignment, error) {
	for _, scalars := range []struct {
		name  string
		found int
	}{{"r_s", len(r)}, {"s_s", len(s)}} {
		if scalars.found != len(circuits) {
			return nil, invalid("%s has %d scalars, but there are %d circuits", scalars.name, scalars.found, len(circuits))
		}
	}
	provers := make([]C.interlock_assignment, len(circuits))
	for i := range circuits {
		if err := circuits[i].check(i); err != nil {
			return nil, err
		}
		provers[i] = circuits[i].lay(lasting, brief)
	}
	return provers, nil
}

// check looks at what C cannot: whether the slices are as long as the sizes that it will be told.
func (a *Assignment) check(circuit int) error {
	for _, vector := range []struct {
		name  string
		found int
	}{{"b", len(a.B)}, {"c", len(a.C)}} {
		if vector.found != len(a.A) {
			return invalid("provers[%d].%s has %d scalars, but a has %d", circuit, vector.name, vector.found, len(a.A))
		}
	}
	for _, density := range []struct {
		name string
		Density
	}{{"a_aux", a.AAuxDensity}, {"b_inp", a.BInpDensity}, {"b_aux", a.BAuxDensity}} {
		field := fmt.Sprintf("provers[%d].%s", circuit, density.name)
		if density.Bits < 0 {
			return invalid("%s_bit_len is %d, but a length is not negative", field, density.Bits)
		}
		if needed := words(density.Bits); len(density.Words) < needed {
			return invalid("%s_density has %d words, but %d bits need %d", field, len(density.Words), density.Bits, needed)
		}
	}
	return nil
}

func (a *Assignment) lay(lasting, brief *runtime.Pinner) C.interlock_assignment {
	return C.interlock_assignment{
		a_aux_density:       a.AAuxDensity.pin(lasting),
		a_aux_bit_len:       C.size_t(a.AAuxDensity.Bits),
		a_aux_popcount:      C.size_t(a.AAuxDensity.ones()),
		b_inp_density:       a.BInpDensity.pin(lasting),
		b_inp_bit_len:       C.size_t(a.BInpDensity.Bits),
		b_inp_popcount:      C.size_t(a.BInpDensity.ones()),
		b_aux_density:       a.BAuxDensity.pin(lasting),
		b_aux_bit_len:       C.size_t(a.BAuxDensity.Bits),
		b_aux_popcount:      C.size_t(a.BAuxDensity.ones()),
		a:                   pinScalars(a.A, brief),
		b:                   pinScalars(a.B, brief),
		c:                   pinScalars(a.C, brief),
		abc_size:            C.size_t(len(a.A)),
		inp_assignment_data: pinScalars(a.Inp, lasting),
		inp_assignment_size: C.size_t(len(a.Inp)),
		aux_assignment_data: pinScalars(a.Aux, lasting),
		aux_assignment_size: C.size_t(len(a.Aux)),
	}
}

// words is the number of words that hold n bits.
func words(n int) int {
	return n/64 + (n%64+63)/64
}

// ones is the number of bits that are set.
func (d Density) ones() int {
	count := 0
	for _, word := range d.Words[:d.Bits/64] {
		count += bits.OnesCount64(word)
	}
	if tail := d.Bits % 64; tail > 0 {
		count += bits.OnesCount64(d.Words[d.Bits/64] << (64 - tail))
	}
	return count
}

func (d Density) pin(pins *runtime.Pinner) *C.uint64_t {
	return (*C.uint64_t)(pin(d.Words[:words(d.Bits)], pins))
}

func pinScalars(scalars []Fr, pins *runtime.Pinner) *C.interlock_fr {
	return (*C.interlock_fr)(unsafe.Pointer(pin(scalars, pins)))
}

func pin[T any](elements []T, pins *runtime.Pinner) *T {
	if len(elements) > 0 {
		pins.Pin(&elements[0])
	}
	return first(elements)
}

// first is where the elements lie, and nil if there are none.
func first[T any](elements []T) *T {
	if len(elements) == 0 {
		return nil
	}
	return &elements[0]
}

func scalars(elements []Fr) *C.interlock_fr {
	return (*C.interlock_fr)(unsafe.Pointer(first(elements)))
}

// room is where C writes the proofs.
func room(proofs []Proof) *C.interlock_proof {
	return (*C.interlock_proof)(unsafe.Pointer(first(proofs)))
}
