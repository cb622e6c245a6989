// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"errors"
	"math/bits"
	"strings"
	"syscall"
	"testing"
)

func contains(err error, text string) bool {
	return err != nil && strings.Contains(err.Error(), text)
}

// expectInvalid wants EINVAL and a message with all of says in it.
func expectInvalid(t *testing.T, err error, says ...string) {
	t.Helper()
	if !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v is not EINVAL", err)
	}
	for _, text := range says {
		if !contains(err, text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

// rich is a small vector with several circuits' worth of everything: inputs, private variables, bits in each density
// that are set and one in a_aux that is clear.
func rich(t *testing.T) vector {
	t.Helper()
	for _, v := range smallVectors(t) {
		a := &v.circuits[0]
		if len(a.A) > 1 && len(a.Inp) > 1 && len(a.Aux) > 1 && a.AAuxDensity.ones() > 0 && a.BInpDensity.ones() > 0 &&
			a.BAuxDensity.ones() > 0 {
			return v
		}
	}
	t.Fatal("no small vector has inputs, private variables and all densities")
	return vector{}
}

func TestMisuseNamesTheField(t *testing.T) {
	v := rich(t)
	srs := v.open(t)
	garbage := &Locks{token: 0x7ffd_1234_5678}
	stale := NewLocks()
	stale.Close()
	stale.Close()
	one := Fr{1}
	for name, c := range map[string]struct {
		spoil func(in *input)
		says  []string
	}{
		"constraints": {func(in *input) {
			a := &in.circuits[0]
			a.A = make([]Fr, 1<<20)
			a.B, a.C = a.A, a.A
		}, []string{"provers[0].abc_size", "1048576"}},
		"b": {func(in *input) { in.circuits[0].B = in.circuits[0].B[1:] }, []string{"provers[0].b has"}},
		"c": {func(in *input) { in.circuits[0].C = nil }, []string{"provers[0].c has 0"}},
		"inp": {func(in *input) { in.circuits[0].Inp = in.circuits[0].Inp[1:] },
			[]string{"provers[0].inp_assignment_size"}},
		"aux": {func(in *input) { in.circuits[0].Aux = append(in.circuits[0].Aux, one) },
			[]string{"provers[0].aux_assignment_size"}},
		"a_aux length": {func(in *input) { in.circuits[0].AAuxDensity.Bits-- }, []string{"provers[0].a_aux_bit_len"}},
		"b_inp length": {func(in *input) { in.circuits[0].BInpDensity = Density{} }, []string{"provers[0].b_inp_bit_len is 0"}},
		"b_aux length": {func(in *input) { in.circuits[0].BAuxDensity.Bits-- }, []string{"provers[0].b_aux_bit_len"}},
		"b_aux negative": {func(in *input) { in.circuits[0].BAuxDensity.Bits = -1 },
			[]string{"provers[0].b_aux_bit_len is -1"}},
		"a_aux words": {func(in *input) { in.circuits[0].AAuxDensity.Words = nil },
			[]string{"provers[0].a_aux_density has 0 words"}},
		"b_inp huge": {func(in *input) { in.circuits[0].BInpDensity.Bits = 1<<63 - 1 },
			[]string{"provers[0].b_inp_density has", "9223372036854775807"}},
		"a_aux bits": {func(in *input) { clearBit(in.circuits[0].AAuxDensity) }, []string{"provers[0].a_aux_popcount"}},
		"b_inp bits": {func(in *input) { clearBit(in.circuits[0].BInpDensity) }, []string{"b_inp_popcount"}},
		"b_aux bits": {func(in *input) { clearBit(in.circuits[0].BAuxDensity) }, []string{"b_aux_popcount"}},
		"scalar in a": {func(in *input) { overwrite(in.circuits[0].A[1:2]) },
			[]string{"provers[0].a[1]", "group order"}},
		"scalar in b": {func(in *input) { overwrite(in.circuits[0].B[1:2]) }, []string{"provers[0].b[1]"}},
		"scalar in c": {func(in *input) { overwrite(in.circuits[0].C[1:2]) }, []string{"provers[0].c[1]"}},
		"scalar in inp": {func(in *input) { overwrite(in.circuits[0].Inp[1:2]) },
			[]string{"provers[0].inp_assignment_data[1]"}},
		"scalar in aux": {func(in *input) { overwrite(in.circuits[0].Aux[1:2]) },
			[]string{"provers[0].aux_assignment_data[1]"}},
		"scalar r":    {func(in *input) { overwrite(in.r[:1]) }, []string{"r_s[0]"}},
		"scalar s":    {func(in *input) { overwrite(in.s[:1]) }, []string{"s_s[0]"}},
		"number of r": {func(in *input) { in.r = append(in.r, one) }, []string{"r_s has"}},
		"number of s": {func(in *input) { in.s = nil }, []string{"s_s has 0"}},
		"second circuit": {func(in *input) {
			second := in.clone()
			*in = input{append(in.circuits, second.circuits[0]), append(in.r, one), append(in.s, one)}
			in.circuits[len(in.circuits)-1].Aux = nil
		}, []string{"aux_assignment_size is 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := v.input.clone()
			c.spoil(&in)
			proofs, err := Prove(in.circuits, in.r, in.s, srs, nil)
			expectInvalid(t, err, c.says...)
			if proofs != nil {
				t.Error("there are proofs nevertheless")
			}
			pending, err := Start(in.circuits, in.r, in.s, srs, nil)
			expectInvalid(t, err, c.says...)
			if pending != nil {
				t.Error("there is a pending proof nevertheless")
			}
		})
	}
	for name, c := range map[string]struct {
		locks *Locks
		says  string
	}{"garbage": {garbage, "0x7ffd12345678"}, "stale": {stale, "destroyed already"}} {
		t.Run(name+" locks", func(t *testing.T) {
			_, err := Prove(v.circuits, v.r, v.s, srs, c.locks)
			expectInvalid(t, err, "gpu_locks", c.says)
			_, err = Start(v.circuits, v.r, v.s, srs, c.locks)
			expectInvalid(t, err, "gpu_locks", c.says)
		})
	}
	if _, err := Prove(v.circuits, v.r, v.s, srs, &Locks{}); err != nil {
		t.Errorf("zero locks, after all that: %v", err)
	}
}

// clearBit clears the first bit that is set.
func clearBit(d Density) {
	for i, word := range d.Words {
		if word != 0 {
			d.Words[i] &^= 1 << bits.TrailingZeros64(word)
			return
		}
	}
}

func TestError(t *testing.T) {
	for _, c := range []struct {
		err   *Error
		says  string
		errno error
	}{
		{&Error{Code: int(syscall.ENOENT), Message: "no such thing"}, "interlock: no such thing", syscall.ENOENT},
		{&Error{Code: int(syscall.ENOMEM)}, "interlock: cannot allocate memory", syscall.ENOMEM},
		{&Error{Code: -2}, "interlock: CUDA error 2", nil},
	} {
		if c.err.Error() != c.says {
			t.Errorf("%#v says %q, but must say %q", c.err, c.err, c.says)
		}
		if got := errors.Unwrap(c.err); got != c.errno {
			t.Errorf("%#v unwraps to %v, but must to %v", c.err, got, c.errno)
		}
	}
	var typed *Error
	if _, err := OpenSRS("/nowhere", false); !errors.As(err, &typed) || typed.Code != int(syscall.ENOENT) {
		t.Errorf("%v is no *Error of ENOENT", err)
	}
}
