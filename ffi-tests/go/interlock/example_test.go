// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"

	"interlock/ffi-tests/go/interlock"
)

func circuit() (a interlock.Assignment, r, s interlock.Fr) { return }

func Example() {
	srs, err := interlock.OpenSRS("circuit.params", true)
	if errors.Is(err, fs.ErrNotExist) {
		log.Fatal("fetch the parameters first: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
	defer srs.Close()

	assignment, r, s := circuit()
	proofs, err := interlock.Prove(
		[]interlock.Assignment{assignment}, []interlock.Fr{r}, []interlock.Fr{s}, srs, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(proofs[0].A)
}

// One batch is synthesised while another is proved.
func ExampleStart() {
	srs, err := interlock.OpenSRS("circuit.params", true)
	if err != nil {
		log.Fatal(err)
	}
	defer srs.Close()

	assignment, r, s := circuit()
	pending, err := interlock.Start(
		[]interlock.Assignment{assignment}, []interlock.Fr{r}, []interlock.Fr{s}, srs, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pending.Destroy()
	// A, B and C are free for the next circuit here; the densities, Inp and Aux are not yet.
	proofs, err := pending.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(proofs[0].A)
}

func ExampleSetLogger() {
	interlock.SetLogger(func(level interlock.Level, message string) {
		log.Printf("interlock: %v: %s", level, message)
	})
	defer interlock.SetLogger(nil)
}
