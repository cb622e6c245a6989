// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// vector is one test vector: circuits that share a parameter file, and the proofs that they must give.
type vector struct {
	name   string
	params string
	input
	// proofs are compressed, 192 bytes each.
	proofs [][]byte
}

type input struct {
	circuits []Assignment
	r, s     []Fr
}

// vectorsDir is where the vectors are: INTERLOCK_VECTORS, else those of this repository.
func vectorsDir() string {
	if dir := os.Getenv("INTERLOCK_VECTORS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "vectors", "data")
}

// allVectors loads every vector there is, and fails the test if there is none.
func allVectors(t testing.TB) []vector {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(vectorsDir(), "*", "inputs.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no test vectors in %s: set INTERLOCK_VECTORS to the directory that holds them", vectorsDir())
	}
	vectors := make([]vector, len(found))
	for i, file := range found {
		vectors[i] = loadVector(t, filepath.Base(filepath.Dir(file)))
	}
	return vectors
}

// smallVectors are those that a CPU proves in milliseconds.
func smallVectors(t testing.TB) []vector {
	t.Helper()
	var small []vector
	for _, v := range allVectors(t) {
		if len(v.circuits[0].A) <= 1<<10 {
			small = append(small, v)
		}
	}
	if len(small) < 3 {
		t.Fatalf("%d vectors in %s are small, but the test needs 3 that differ", len(small), vectorsDir())
	}
	return small
}

func loadVector(t testing.TB, name string) vector {
	t.Helper()
	v := vector{name: name, params: filepath.Join(vectorsDir(), name, "params")}
	inputs, err := os.ReadFile(filepath.Join(vectorsDir(), name, "inputs.bin"))
	if err != nil {
		t.Fatalf("%v: set INTERLOCK_VECTORS to the directory that holds the test vectors", err)
	}
	if v.input, err = parseInput(inputs); err != nil {
		t.Fatalf("%s/inputs.bin: %v", name, err)
	}
	proofs, err := os.ReadFile(filepath.Join(vectorsDir(), name, "proofs.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if len(proofs) != len(v.circuits)*compressedProof {
		t.Fatalf("%s/proofs.bin has %d bytes for %d circuits", name, len(proofs), len(v.circuits))
	}
	for i := range v.circuits {
		v.proofs = append(v.proofs, proofs[i*compressedProof:(i+1)*compressedProof])
	}
	return v
}

func parseInput(file []byte) (input, error) {
	const magic = "C2VEC001"
	if !bytes.HasPrefix(file, []byte(magic)) {
		return input{}, fmt.Errorf("does not begin with %s", magic)
	}
	in := reader{rest: file[len(magic):]}
	var parsed input
	for n := in.words(1)[0]; n > 0 && !in.short; n-- {
		size := in.words(9)
		var a Assignment
		a.AAuxDensity = in.density(size[0])
		a.BInpDensity = in.density(size[2])
		a.BAuxDensity = in.density(size[4])
		a.A, a.B, a.C = in.scalars(size[6]), in.scalars(size[6]), in.scalars(size[6])
		a.Inp, a.Aux = in.scalars(size[7]), in.scalars(size[8])
		parsed.circuits = append(parsed.circuits, a)
		parsed.r = append(parsed.r, in.scalars(1)...)
		parsed.s = append(parsed.s, in.scalars(1)...)
	}
	if in.short || len(in.rest) > 0 {
		return input{}, errors.New("has not the length that its sizes give")
	}
	return parsed, nil
}

// reader takes little-endian numbers from a file; once the file was too short all are zero.
type reader struct {
	rest  []byte
	short bool
}

func (in *reader) words(n uint64) []uint64 {
	if n > uint64(len(in.rest)/8) {
		in.short = true
		return make([]uint64, min(n, 9))
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(in.rest[8*i:])
	}
	in.rest = in.rest[8*n:]
	return words
}

func (in *reader) density(bits uint64) Density {
	return Density{Words: in.words((bits + 63) / 64), Bits: int(bits)}
}

func (in *reader) scalars(n uint64) []Fr {
	words := in.words(4 * n)
	scalars := make([]Fr, len(words)/4)
	for i := range scalars {
		scalars[i] = Fr(words[4*i:])
	}
	return scalars
}

// clone is a copy that shares no memory.
func (in input) clone() input {
	copied := input{r: append([]Fr(nil), in.r...), s: append([]Fr(nil), in.s...)}
	for _, a := range in.circuits {
		for _, d := range []*Density{&a.AAuxDensity, &a.BInpDensity, &a.BAuxDensity} {
			d.Words = append([]uint64(nil), d.Words...)
		}
		for _, v := range []*[]Fr{&a.A, &a.B, &a.C, &a.Inp, &a.Aux} {
			*v = append([]Fr(nil), *v...)
		}
		copied.circuits = append(copied.circuits, a)
	}
	return copied
}

// open loads the vector's parameters and closes them when the test ends.
func (v *vector) open(t testing.TB) *SRS {
	t.Helper()
	srs, err := OpenSRS(v.params, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srs.Close() })
	return srs
}

// differs says in which way proofs are not the vector's, and is nil if they are.
func (v *vector) differs(proofs []Proof) error {
	if len(proofs) != len(v.proofs) {
		return fmt.Errorf("%s: %d proofs of %d circuits", v.name, len(proofs), len(v.proofs))
	}
	for i := range proofs {
		if got := proofs[i].compress(); !bytes.Equal(got, v.proofs[i]) {
			return fmt.Errorf("%s: proof %d is\n%x, but must be\n%x", v.name, i, got, v.proofs[i])
		}
	}
	return nil
}
