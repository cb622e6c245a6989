// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"errors"
	"regexp"
	"strconv"
	"testing"
)

func TestSizes(t *testing.T) {
	v := rich(t)
	srs := v.open(t)
	sizes, err := srs.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	a := &v.circuits[0]
	want := Sizes{
		DomainLog2: sizes.DomainLog2,
		Inputs:     uint(len(a.Inp)),
		Aux:        uint(len(a.Aux)),
		A:          uint(len(a.Inp) + a.AAuxDensity.ones()),
		B:          uint(a.BInpDensity.ones() + a.BAuxDensity.ones()),
		Circuits:   1,
	}
	if sizes != want || 1<<sizes.DomainLog2 < len(a.A) {
		t.Errorf("the sizes are %+v and not %+v", sizes, want)
	}
	plan, err := NewPlan(sizes, 1<<30)
	if err != nil || plan.Streamed || plan.ParameterBytes == 0 {
		t.Errorf("%+v, %v", plan, err)
	}
	srs.Close()
	_, err = srs.Sizes()
	expectInvalid(t, err, "SRS", "closed")
	_, err = (*SRS)(nil).Sizes()
	expectInvalid(t, err, "SRS", "never was opened")
}

// The circuit of the 32 GiB PoRep.
var porep = Sizes{DomainLog2: 27, Inputs: 328, Aux: 130169893, A: 129779711, B: 33063153, Circuits: 1}

func TestPlan(t *testing.T) {
	small, err := NewPlan(porep, 4<<30)
	if err != nil {
		t.Fatal(err)
	}
	if !small.Streamed || small.Vectors != 0 || small.HPhaseBytes > 4<<30 || small.HPhaseBytes == 0 ||
		small.HostVectorBytes != 8<<30 || small.HostParameterBytes < small.CopiedParameterBytes || small.MappedBytes == 0 {
		t.Errorf("within 4 GiB: %+v", small)
	}
	large, err := NewPlan(porep, 130<<30)
	if err != nil {
		t.Fatal(err)
	}
	if large.Streamed || large.Vectors != 3 || large.HostParameterBytes != 0 || large.Time <= 0 || large.Time >= small.Time {
		t.Errorf("within 130 GiB: %+v", large)
	}
}

func TestImpossiblePlans(t *testing.T) {
	var e *Error
	_, err := NewPlan(porep, 0)
	if !errors.As(err, &e) || e.Code != -2 {
		t.Fatalf("without memory: %v", err)
	}
	named := regexp.MustCompile(`takes (\d+) bytes`).FindStringSubmatch(e.Message)
	if named == nil {
		t.Fatalf("no budget is named: %v", err)
	}
	least, _ := strconv.ParseUint(named[1], 10, 64)
	if _, err := NewPlan(porep, uint(least)); err != nil {
		t.Errorf("within the least budget: %v", err)
	}
	if _, err := NewPlan(porep, uint(least)-1); !errors.As(err, &e) || e.Code != -2 {
		t.Errorf("within less: %v", err)
	}
	none := porep
	none.Circuits = 0
	_, err = NewPlan(none, 1<<40)
	expectInvalid(t, err, "circuits is 0")
}
