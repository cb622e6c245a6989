// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

// #include "bridge.h"
import "C"

import (
	"runtime"
	"time"
)

// Sizes are those of circuits that one call proves: those of their parameters.
type Sizes struct {
	// DomainLog2 is log2 of the domain's size.
	DomainLog2 uint
	// Inputs counts public inputs, the constant one included, and Aux private variables.
	Inputs, Aux uint
	// A and B count the points of the queries of these names.
	A, B uint
	// Circuits is how many circuits the call proves.
	Circuits uint
}

// Sizes returns the sizes of the circuit that the parameters are for, with Circuits 1.
func (s *SRS) Sizes() (Sizes, error) {
	if !s.open() {
		return Sizes{}, errClosed()
	}
	var sizes C.interlock_circuit_sizes
	err := take(C.bridge_srs_sizes(s.token, &sizes))
	runtime.KeepAlive(s)
	if err != nil {
		return Sizes{}, err
	}
	return Sizes{
		DomainLog2: uint(sizes.domain_log2),
		Inputs:     uint(sizes.inputs),
		Aux:        uint(sizes.aux),
		A:          uint(sizes.a),
		B:          uint(sizes.b),
		Circuits:   uint(sizes.circuits),
	}, nil
}

// Plan is how proofs are made within a budget of device memory; interlock.h says more of each number.
type Plan struct {
	// Streamed is whether parameters are in page-locked host memory and are copied during every proof, rather than in
	// device memory.
	Streamed bool
	// Vectors is how many of a circuit's vectors a, b and c are in device memory, 0 to 3.
	Vectors int
	// ParameterBytes, ScratchBytes and SlotBytes are what parameters that stay in device memory, scratch, and each of
	// the three or five slots for streamed parameters take of it.
	ParameterBytes, ScratchBytes, SlotBytes uint
	// HPartPoints is how many points of the h query are worked on at a time.
	HPartPoints uint
	// WitnessPartBytes and WitnessBytes are what a part of a witness, and all that is held of it, take of device memory.
	WitnessPartBytes, WitnessBytes uint
	// PassBytes is what a device keeps for streamed parameters to pass through, slots included.
	PassBytes uint
	// WitnessPhaseBytes and HPhaseBytes are all the device memory that is held in the two phases of a proof.
	WitnessPhaseBytes, HPhaseBytes uint
	// HostVectorBytes and HostParameterBytes are page-locked host memory.
	HostVectorBytes, HostParameterBytes uint
	// CopiedParameterBytes, CopiedScalarBytes and MappedBytes go over the bus during the call.
	CopiedParameterBytes, CopiedScalarBytes, MappedBytes uint
	// Time is a rough model of how long the call takes on an H200.
	Time time.Duration
}

// NewPlan plans the proofs of one call within budget bytes of device memory. It asks no GPU.
//
// If that is too little for any proof, the error has Code -2, CUDA's number for a lack of memory, and names the least
// budget.
func NewPlan(sizes Sizes, budget uint) (Plan, error) {
	in := C.interlock_circuit_sizes{
		domain_log2: C.size_t(sizes.DomainLog2),
		inputs:      C.size_t(sizes.Inputs),
		aux:         C.size_t(sizes.Aux),
		a:           C.size_t(sizes.A),
		b:           C.size_t(sizes.B),
		circuits:    C.size_t(sizes.Circuits),
	}
	var out C.interlock_memory_plan
	if err := take(C.interlock_plan(&in, C.size_t(budget), &out)); err != nil {
		return Plan{}, err
	}
	return Plan{
		Streamed:             out.parameters == C.INTERLOCK_RESIDENCE_STREAMED,
		Vectors:              int(out.vectors),
		ParameterBytes:       uint(out.parameter_bytes),
		ScratchBytes:         uint(out.scratch_bytes),
		SlotBytes:            uint(out.slot_bytes),
		HPartPoints:          uint(out.h_part_points),
		WitnessPartBytes:     uint(out.witness_part_bytes),
		WitnessBytes:         uint(out.witness_bytes),
		PassBytes:            uint(out.pass_bytes),
		WitnessPhaseBytes:    uint(out.witness_phase_bytes),
		HPhaseBytes:          uint(out.h_phase_bytes),
		HostVectorBytes:      uint(out.host_vector_bytes),
		HostParameterBytes:   uint(out.host_parameter_bytes),
		CopiedParameterBytes: uint(out.copied_parameter_bytes),
		CopiedScalarBytes:    uint(out.copied_scalar_bytes),
		MappedBytes:          uint(out.mapped_bytes),
		Time:                 time.Duration(float64(out.seconds) * float64(time.Second)),
	}, nil
}
