#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the vectors of the smallest sizes, of repeated and opposite points and of extreme scalars.

Everything is computed here in the plainest way: the group law by its definition, one scalar at a time, and polynomials
by sums over their points. Usage: edge.py FOLDER, which gets a folder for each vector.
"""
import random
import struct
import sys
from functools import reduce
from itertools import count, cycle
from pathlib import Path

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


class F2:
    """An element of Fp2; with b = 0, of Fp."""

    def __init__(self, a, b=0):
        self.a, self.b = a % P, b % P

    def __add__(self, other):
        return F2(self.a + other.a, self.b + other.b)

    def __sub__(self, other):
        return F2(self.a - other.a, self.b - other.b)

    def __mul__(self, other):
        return F2(self.a * other.a - self.b * other.b, self.a * other.b + self.b * other.a)

    def __eq__(self, other):
        return (self.a, self.b) == (other.a, other.b)

    def inverse(self):
        norm = pow(self.a * self.a + self.b * self.b, -1, P)
        return F2(self.a * norm, -self.b * norm)


# Points are (x, y), infinity is None.
G1 = (
    F2(0x17F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB),
    F2(0x08B3F481E3AAA0F1A09E30ED741D8AE4FCF5E095D5D00AF600DB18CB2C04B3EDD03CC744A2888AE40CAA232946C5E7E1),
)
G2 = (
    F2(
        0x024AA2B2F08F0A91260805272DC51051C6E47AD4FA403B02B4510B647AE3D1770BAC0326A805BBEFD48056C8C121BDB8,
        0x13E02B6052719F607DACD3A088274F65596BD0D09920B61AB5DA61BBDC7F5049334CF11213945D57E5AC7D055D042B7E,
    ),
    F2(
        0x0CE5D527727D6E118CC9CDC6DA2E351AADFD9BAA8CBDD3A76D429A695160D12C923AC9CC3BACA289E193548608B82801,
        0x0606C4A02EA734CC32ACD2B02BC28B99CB3E287E85A763AF267492AB572E99AB3F370D275CEC1DA1AAA9075FF05F79BE,
    ),
)


def add(p, q):
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0]:
        if not p[1] == q[1]:
            return None
        slope = F2(3) * p[0] * p[0] * (p[1] + p[1]).inverse()
    else:
        slope = (q[1] - p[1]) * (q[0] - p[0]).inverse()
    x = slope * slope - p[0] - q[0]
    return x, slope * (p[0] - x) - p[1]


def times(p, n):
    out = None
    for bit in bin(n)[2:]:
        out = add(out, out)
        if bit == "1":
            out = add(out, p)
    return out


def negated(p):
    return p and (p[0], F2(0) - p[1])


def total(points):
    return reduce(add, points, None)


def msm(points, scalars):
    return total(times(p, x) for p, x in zip(points, scalars, strict=True))


def coordinates(p, of_g2):
    return [c for v in p for c in ((v.b, v.a) if of_g2 else (v.a,))]


def uncompressed(p, of_g2=False):
    return b"".join(c.to_bytes(48, "big") for c in coordinates(p, of_g2))


def compressed(p, of_g2=False):
    size = 96 if of_g2 else 48
    if p is None:
        return bytes([0xC0]) + bytes(size - 1)
    out = bytearray(uncompressed(p, of_g2)[:size])
    greater = (p[1].b or p[1].a) > (P - 1) // 2
    out[0] |= 0x80 | (0x20 if greater else 0)
    return bytes(out)


def scalar(x):
    return (x * 2**256 % R).to_bytes(32, "little")


def quotient(a, b, c, m):
    """The coefficients of (a·b − c) / (x^m − 1), from its values on the coset of 7."""
    root, per_m = pow(7, (R - 1) // m, R), pow(m, -1, R)

    def coefficients(values):
        values = values + [0] * (m - len(values))
        return [sum(v * pow(root, -i * j % m, R) for i, v in enumerate(values)) * per_m % R for j in range(m)]

    def at(polynomial, x):
        return sum(k * pow(x, i, R) for i, k in enumerate(polynomial)) % R

    a, b, c = coefficients(a), coefficients(b), coefficients(c)
    per_z = pow(pow(7, m, R) - 1, -1, R)
    coset = [7 * pow(root, i, R) % R for i in range(m)]
    values = [(at(a, x) * at(b, x) - at(c, x)) * per_z % R for x in coset]
    return [k * pow(7, -i, R) % R for i, k in enumerate(coefficients(values))]


def density(bits):
    """Words of the bits, those past the end set."""
    words = -(-len(bits) // 64)
    return (sum(bit << i for i, bit in enumerate(bits)) | (2 ** (64 * words) - 1) >> len(bits) << len(bits)).to_bytes(8 * words, "little")


def chosen(values, bits):
    return [value for value, bit in zip(values, bits, strict=True) if bit]


def write(folder, m, constraints, a_aux, b_inp, b_aux, points, value, blindings, seed=1):
    """A vector with as many inputs and private variables as there are bits in b_inp and b_aux."""
    rng = random.Random(seed)
    points = points(rng)
    inputs, aux = len(b_inp), len(b_aux)
    alpha, beta, delta = (times(G1, rng.randrange(1, R)) for _ in range(3))
    beta2, gamma2, delta2 = (times(G2, rng.randrange(1, R)) for _ in range(3))
    ic, h, l, a, b1 = (
        [next(points) for _ in range(n)] for n in (inputs, m - 1, aux, inputs + sum(a_aux), sum(b_inp + b_aux))
    )
    b2 = [times(G2, rng.choice([1, 1, 2, R - 1, rng.randrange(1, R)])) for _ in b1]

    params = uncompressed(alpha) + uncompressed(beta) + uncompressed(beta2, True) + uncompressed(gamma2, True)
    params += uncompressed(delta) + uncompressed(delta2, True)
    for query in ic, h, l, a, b1:
        params += struct.pack(">I", len(query)) + b"".join(map(uncompressed, query))
    params += struct.pack(">I", len(b2)) + b"".join(uncompressed(p, True) for p in b2)

    circuits, proofs = b"C2VEC001" + struct.pack("<Q", len(blindings)), b""
    for r, s in blindings:
        evaluations = [[value(rng) for _ in range(constraints)] for _ in range(3)]
        inp, private = ([value(rng) for _ in range(n)] for n in (inputs, aux))
        sizes = aux, sum(a_aux), inputs, sum(b_inp), aux, sum(b_aux), constraints, inputs, aux
        circuits += struct.pack("<9Q", *sizes) + density(a_aux) + density(b_inp) + density(b_aux)
        circuits += b"".join(map(scalar, sum(evaluations, []) + inp + private + [r, s]))

        of_b = chosen(inp, b_inp) + chosen(private, b_aux)
        proof_a = total([alpha, times(delta, r), msm(a, inp + chosen(private, a_aux))])
        proof_b = total([beta2, times(delta2, s), msm(b2, of_b)])
        proof_b1 = total([beta, times(delta, s), msm(b1, of_b)])
        blinds = [times(proof_a, s), times(proof_b1, r), negated(times(delta, r * s % R))]
        proof_c = total(blinds + [msm(h, quotient(*evaluations, m)[:-1]), msm(l, private)])
        proofs += compressed(proof_a) + compressed(proof_b, True) + compressed(proof_c)

    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ("params", params), ("inputs.bin", circuits), ("proofs.bin", proofs):
        (folder / name).write_bytes(content)


def different(rng):
    return (times(G1, rng.randrange(1, R)) for _ in count())


def same(rng):
    return cycle([times(G1, rng.randrange(1, R))])


def opposite(rng):
    p = times(G1, rng.randrange(1, R))
    return cycle([p, negated(p)])


def few(rng):
    points = [times(G1, k) for k in (1, 2, 3, R - 1, R - 2)]
    return (rng.choice(points) for _ in count())


def any_value(rng):
    return rng.randrange(R)


def extreme(rng):
    power = 1 << rng.randrange(254)
    return rng.choice([0, 1, 2, R - 1, R - 2, (R - 1) // 2, (R + 1) // 2, power, R - power, any_value(rng)])


def main(folder):
    blindings = [(0, 0), (1, R - 1), (R - 1, 1), (5, 0), (0, 7)]
    write(folder / "dom1", 1, 0, [], [0], [], different, any_value, [(3, 4), (0, 0)])
    write(folder / "dom1noinp", 1, 0, [], [], [], different, any_value, [(3, 4), (0, 0)])
    write(folder / "dom1aux", 1, 1, [1], [1], [1], different, any_value, [(R - 1, R - 1)])
    write(folder / "dom2noaux", 2, 2, [], [0], [], different, any_value, [(9, 11)])
    write(folder / "dom2", 2, 1, [0], [1, 0], [1], different, extreme, blindings)
    write(folder / "noinp", 4, 4, [0] * 3, [], [0] * 3, different, any_value, [(9, 11)])
    write(folder / "noabc", 4, 0, [1, 0], [1], [0, 1], different, any_value, [(9, 11)])
    write(folder / "same", 64, 64, [1] * 70, [1] * 3, [1] * 70, same, extreme, blindings[:2], 3)
    write(folder / "opposite", 64, 50, [i % 2 for i in range(65)], [0, 1, 1], [1] * 65, opposite, extreme, blindings[:2], 4)
    write(folder / "extreme", 64, 64, [1] * 129, [i % 3 == 0 for i in range(65)], [1] * 129, few, extreme, blindings[:2], 5)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
