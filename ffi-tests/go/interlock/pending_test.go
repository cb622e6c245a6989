// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
)

func asScalars(memory []byte) []Fr {
	return unsafe.Slice((*Fr)(unsafe.Pointer(&memory[0])), len(memory)/32)
}

// begin starts a vector's proofs from a copy that nothing else holds, and then overwrites all that may be.
func begin(v *vector, srs *SRS, locks *Locks) (*Pending, error) {
	in := v.input.clone()
	pending, err := Start(in.circuits, in.r, in.s, srs, locks)
	overwrite(in.r)
	overwrite(in.s)
	for i := range in.circuits {
		overwrite(in.circuits[i].A)
		overwrite(in.circuits[i].B)
		overwrite(in.circuits[i].C)
		in.circuits[i] = Assignment{}
	}
	return pending, err
}

func overwrite(scalars []Fr) {
	for i := range scalars {
		scalars[i] = Fr{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	}
}

// churn collects garbage, and writes to what has become free, until the test ends.
func churn(t *testing.T) {
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		for size := 1; ; size = size*3%1021 + 1 {
			select {
			case <-stop:
				return
			default:
			}
			for n := 0; n < 64; n++ {
				overwrite(make([]Fr, size))
			}
			runtime.GC()
		}
	}()
	t.Cleanup(func() { close(stop); done.Wait() })
}

// Batches begin on one goroutine and end on another while the collector runs; every third is given up.
func TestPendingUnderGarbageCollection(t *testing.T) {
	const rounds = 3
	churn(t)
	vectors := smallVectors(t)
	type begun struct {
		*vector
		*Pending
	}
	batches := make(chan begun, 4)
	go func() {
		defer close(batches)
		locks := NewLocks()
		defer locks.Close()
		for n := 0; n < rounds*len(vectors); n++ {
			v := &vectors[n%len(vectors)]
			srs, err := OpenSRS(v.params, true)
			if err != nil {
				t.Error(err)
				return
			}
			pending, err := begin(v, srs, locks)
			srs.Evict()
			srs.Close()
			if err != nil {
				t.Error(err)
				return
			}
			batches <- begun{v, pending}
		}
	}()
	var all sync.WaitGroup
	count := 0
	for batch := range batches {
		count++
		all.Add(1)
		go func(destroy bool) {
			defer all.Done()
			defer batch.Destroy()
			if destroy {
				return
			}
			proofs, err := batch.Finalize()
			if err == nil {
				err = batch.differs(proofs)
			}
			if err != nil {
				t.Error(err)
			}
		}(count%3 == 0)
	}
	all.Wait()
	if want := rounds * len(vectors); count != want {
		t.Errorf("%d batches ended, but %d were to begin", count, want)
	}
}

// Many batches are pending at a time and end in another order.
func TestManyPending(t *testing.T) {
	vectors := smallVectors(t)
	var pending []*Pending
	for i := range vectors {
		srs := vectors[i].open(t)
		p, err := begin(&vectors[i], srs, nil)
		if err != nil {
			t.Fatal(err)
		}
		pending = append(pending, p)
	}
	for i := len(pending) - 1; i >= 0; i-- {
		if i%4 == 1 {
			pending[i].Destroy()
			continue
		}
		proofs, err := pending[i].Finalize()
		if err != nil {
			t.Fatal(err)
		}
		if err := vectors[i].differs(proofs); err != nil {
			t.Error(err)
		}
	}
}

func TestPendingEndsOnce(t *testing.T) {
	v := smallVectors(t)[0]
	srs := v.open(t)

	finalized, err := begin(&v, srs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := finalized.Finalize(); err != nil {
		t.Fatal(err)
	}
	_, err = finalized.Finalize()
	expectInvalid(t, err, "pending proof", "finalized or destroyed already")
	finalized.Destroy()

	destroyed, err := begin(&v, srs, nil)
	if err != nil {
		t.Fatal(err)
	}
	destroyed.Destroy()
	destroyed.Destroy()
	_, err = destroyed.Finalize()
	expectInvalid(t, err, "pending proof", "finalized or destroyed already")

	_, err = (&Pending{}).Finalize()
	expectInvalid(t, err, "pending", "null")
	_, err = (&Pending{token: 0x5a5a5a5a0, circuits: 1}).Finalize()
	expectInvalid(t, err, "0x5a5a5a5a0", "never given out")
}

// Of goroutines that finish the same batch one gets the proofs.
func TestFinalizeRace(t *testing.T) {
	v := smallVectors(t)[0]
	srs := v.open(t)
	for n := 0; n < 20; n++ {
		pending, err := begin(&v, srs, nil)
		if err != nil {
			t.Fatal(err)
		}
		results := make(chan []Proof, 4)
		for g := 0; g < cap(results); g++ {
			go func() {
				proofs, err := pending.Finalize()
				if err != nil {
					expectInvalid(t, err, "finalized or destroyed already")
				}
				results <- proofs
			}()
		}
		winners := 0
		for g := 0; g < cap(results); g++ {
			if proofs := <-results; proofs != nil {
				winners++
				if err := v.differs(proofs); err != nil {
					t.Error(err)
				}
			}
		}
		if winners != 1 {
			t.Errorf("%d goroutines got the proofs", winners)
		}
	}
}

// When Destroy has returned the witness may be written to, also if another goroutine was in Finalize.
func TestDestroyWaitsForFinalize(t *testing.T) {
	var v vector
	for _, other := range allVectors(t) {
		if v.circuits == nil || len(other.circuits[0].Aux) > len(v.circuits[0].Aux) {
			v = other
		}
	}
	in := v.input.clone()
	pending, err := Start(in.circuits, in.r, in.s, v.open(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	finalized := make(chan error)
	begun := make(chan struct{})
	go func() {
		close(begun)
		proofs, err := pending.Finalize()
		if err == nil {
			err = v.differs(proofs)
		}
		finalized <- err
	}()
	<-begun
	time.Sleep(5 * time.Millisecond)
	pending.Destroy()
	for _, a := range in.circuits {
		overwrite(a.Inp)
		overwrite(a.Aux)
	}
	if err := <-finalized; err != nil && !contains(err, "finalized or destroyed already") {
		t.Error(err)
	}
}

// What is no longer reachable ends by itself, and takes its pins along: the runtime panics over pins that are forgotten.
func TestForgotten(t *testing.T) {
	v := smallVectors(t)[0]
	var pending Pending
	func() {
		srs, err := OpenSRS(v.params, false)
		if err != nil {
			t.Fatal(err)
		}
		p, err := begin(&v, srs, NewLocks())
		if err != nil {
			t.Fatal(err)
		}
		pending.token = p.token
	}()
	// A handle of no circuits has no room for proofs, so as long as it lives the error is another one.
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC()
		if _, err := pending.Finalize(); contains(err, "finalized or destroyed already") {
			return
		}
	}
	t.Error("a pending proof outlived its last reference by 30 s")
}
