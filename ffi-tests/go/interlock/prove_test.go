// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"math/rand"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestLinkage(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if shared := strings.Contains(string(maps), "/libinterlock.so"); shared != wantShared {
		t.Errorf("libinterlock.so is mapped: %v, but the build asks for %v", shared, wantShared)
	}
}

func TestVectors(t *testing.T) {
	for _, v := range allVectors(t) {
		t.Run(v.name, func(t *testing.T) {
			srs := v.open(t)
			proofs, err := Prove(v.circuits, v.r, v.s, srs, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.differs(proofs); err != nil {
				t.Error(err)
			}
			pending, err := Start(v.circuits, v.r, v.s, srs, nil)
			if err != nil {
				t.Fatal(err)
			}
			if proofs, err = pending.Finalize(); err != nil {
				t.Fatal(err)
			}
			if err := v.differs(proofs); err != nil {
				t.Errorf("in two halves: %v", err)
			}
		})
	}
}

// Slices may lie in memory that Go did not allocate, and densities may have more words than bits need.
func TestForeignMemory(t *testing.T) {
	v := smallVectors(t)[0]
	in := v.input.clone()
	for i := range in.circuits {
		a := &in.circuits[i]
		for _, vector := range []*[]Fr{&a.A, &a.B, &a.C, &a.Inp, &a.Aux} {
			*vector = mapped(t, *vector)
		}
		a.AAuxDensity.Words = append(a.AAuxDensity.Words, ^uint64(0))
	}
	proofs, err := Prove(in.circuits, in.r, in.s, v.open(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.differs(proofs); err != nil {
		t.Error(err)
	}
}

// Bits past the length of a density are ignored.
func TestGarbageBits(t *testing.T) {
	seen := 0
	for _, v := range smallVectors(t) {
		in := v.input.clone()
		for i := range in.circuits {
			a := &in.circuits[i]
			for _, d := range []Density{a.AAuxDensity, a.BInpDensity, a.BAuxDensity} {
				if tail := d.Bits % 64; tail > 0 {
					d.Words[d.Bits/64] |= ^uint64(0) << tail
					seen++
				}
			}
		}
		proofs, err := Prove(in.circuits, in.r, in.s, v.open(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.differs(proofs); err != nil {
			t.Error(err)
		}
	}
	if seen == 0 {
		t.Error("no density has bits past its end")
	}
}

func TestNoCircuits(t *testing.T) {
	proofs, err := Prove(nil, nil, nil, nil, nil)
	if err != nil || len(proofs) != 0 {
		t.Errorf("Prove gave %d proofs and %v", len(proofs), err)
	}
	pending, err := Start(nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if proofs, err := pending.Finalize(); err != nil || len(proofs) != 0 {
		t.Errorf("Finalize gave %d proofs and %v", len(proofs), err)
	}
}

func TestManyGoroutines(t *testing.T) {
	const goroutines, each = 24, 4
	vectors := smallVectors(t)
	srs := make([]*SRS, len(vectors))
	for i := range vectors {
		srs[i] = vectors[i].open(t)
	}
	locks := NewLocks()
	defer locks.Close()
	var all sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			random := rand.New(rand.NewSource(int64(g)))
			for n := 0; n < each; n++ {
				i := random.Intn(len(vectors))
				shared := locks
				if random.Intn(4) == 0 {
					shared = nil
				}
				v := &vectors[i]
				proofs, err := Prove(v.circuits, v.r, v.s, srs[i], shared)
				if err == nil {
					err = v.differs(proofs)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
}

// mapped is a copy of scalars in memory that Go did not allocate.
func mapped(t *testing.T, scalars []Fr) []Fr {
	t.Helper()
	if len(scalars) == 0 {
		return scalars
	}
	memory, err := syscall.Mmap(-1, 0, 32*len(scalars), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	copied := asScalars(memory)
	copy(copied, scalars)
	return copied
}
