// SPDX-License-Identifier: MIT OR Apache-2.0

//go:build interlock_neighbour

package interlock

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"interlock/ffi-tests/go/neighbour"
)

// Another Rust static library in the same program: goroutines prove, fail and call it, all at once, and everybody's
// results stay right.
func TestNeighbour(t *testing.T) {
	const goroutines, rounds = 16, 6
	vectors := smallVectors(t)
	srs := make([]*SRS, len(vectors))
	for i := range vectors {
		srs[i] = vectors[i].open(t)
	}
	locks := NewLocks()
	defer locks.Close()
	var panics sync.Mutex
	var all sync.WaitGroup
	for g := 0; g < goroutines; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			random := rand.New(rand.NewSource(int64(g)))
			for n := 0; n < rounds; n++ {
				i := random.Intn(len(vectors))
				v := &vectors[i]
				for _, step := range []func() error{
					func() error { return sums(uint64(1000 + random.Intn(1000))) },
					func() error { return v.proves(srs[i], locks) },
					func() error { return v.fails(srs[i], locks) },
					func() error { return v.provesInHalves(srs[i]) },
					func() error {
						panics.Lock()
						defer panics.Unlock()
						if !neighbour.CatchesPanic() || !neighbour.Doubles() {
							return errors.New("the neighbour does not catch its panics, or its blst is wrong")
						}
						return nil
					},
					func() error { return v.proves(srs[i], nil) },
				} {
					if err := step(); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	all.Wait()
}

// sums checks the neighbour's own threads and what it keeps for each of the callers' threads.
func sums(n uint64) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := neighbour.Calls()
	if sum := neighbour.Sum(n); sum != n*(n+1)/2 {
		return fmt.Errorf("the neighbour's sum to %d is %d", n, sum)
	}
	if calls := neighbour.Calls(); calls != before+1 {
		return fmt.Errorf("the neighbour was called %d times after %d", calls, before)
	}
	return nil
}

func (v *vector) proves(srs *SRS, locks *Locks) error {
	proofs, err := Prove(v.circuits, v.r, v.s, srs, locks)
	if err != nil {
		return err
	}
	return v.differs(proofs)
}

func (v *vector) provesInHalves(srs *SRS) error {
	pending, err := Start(v.circuits, v.r, v.s, srs, nil)
	if err != nil {
		return err
	}
	proofs, err := pending.Finalize()
	if err != nil {
		return err
	}
	return v.differs(proofs)
}

// fails makes calls that have to fail, each in its own words.
func (v *vector) fails(srs *SRS, locks *Locks) error {
	if _, err := OpenSRS("/nonexistent", false); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("parameters that are not there: %v", err)
	}
	long := v.input.clone()
	long.circuits[0].Aux = append(long.circuits[0].Aux, Fr{1})
	if _, err := Prove(long.circuits, long.r, long.s, srs, locks); !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("a private variable too many: %v", err)
	}
	if _, err := Prove(v.circuits, v.r, v.s, nil, locks); !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("no parameters: %v", err)
	}
	return nil
}
