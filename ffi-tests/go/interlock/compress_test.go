// SPDX-License-Identifier: MIT OR Apache-2.0

package interlock

import (
	"encoding/binary"
	"math/big"
)

const (
	compressedG1    = 48
	compressedG2    = 2 * compressedG1
	compressedProof = 2*compressedG1 + compressedG2

	flagCompressed = 0x80
	flagInfinity   = 0x40
	flagLarger     = 0x20
)

var (
	// modulus is that of the curve's base field.
	modulus, _ = new(big.Int).SetString(
		"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 16)
	half = new(big.Int).Rsh(modulus, 1)
	// unmontgomery is 2^-384.
	unmontgomery = new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 384), modulus)
)

// compress writes A, B and C in the compressed form of ZCash.
func (p *Proof) compress() []byte {
	out := p.A.compress()
	out = append(out, p.B.compress()...)
	return append(out, p.C.compress()...)
}

func (p *G1) compress() []byte {
	if *p == (G1{}) {
		return infinity(compressedG1)
	}
	out := coordinate(&p.X).FillBytes(make([]byte, compressedG1))
	return flagged(out, coordinate(&p.Y).Cmp(half) > 0)
}

func (p *G2) compress() []byte {
	if *p == (G2{}) {
		return infinity(compressedG2)
	}
	out := coordinate(&p.X[1]).FillBytes(make([]byte, compressedG1))
	out = append(out, coordinate(&p.X[0]).FillBytes(make([]byte, compressedG1))...)
	deciding := coordinate(&p.Y[1])
	if deciding.Sign() == 0 {
		deciding = coordinate(&p.Y[0])
	}
	return flagged(out, deciding.Cmp(half) > 0)
}

func infinity(size int) []byte {
	out := make([]byte, size)
	out[0] = flagCompressed | flagInfinity
	return out
}

func flagged(out []byte, larger bool) []byte {
	out[0] |= flagCompressed
	if larger {
		out[0] |= flagLarger
	}
	return out
}

// coordinate takes limbs out of Montgomery form.
func coordinate(limbs *[6]uint64) *big.Int {
	var bytes [48]byte
	for i, limb := range limbs {
		binary.BigEndian.PutUint64(bytes[40-8*i:], limb)
	}
	x := new(big.Int).SetBytes(bytes[:])
	return x.Mod(x.Mul(x, unmontgomery), modulus)
}
