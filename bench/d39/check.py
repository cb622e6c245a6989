"""Checks what digits.cpp prints, with Python's integers: the residues, and that digits and numbers are in their ranges."""

import sys
from collections import Counter

P = 0x1A0111EA397FE69A4B1BA7B6434BACD764774B84F38512BF6730D2A0F6B0F6241EABFFFEB153FFFFB9FEFFFFFFFFAAAB
B = 1 << 39
INVERSE = pow(B, -10, P)


def number(digits):
    value = 0
    for digit in reversed(digits):
        value = value * B + digit
    return value


# What the result is modulo p, of the operands as integers, and how large it may be, over p.
OPERATIONS = {
    "product": (2, lambda a, b: a * b * INVERSE, 1),
    "product_less": (3, lambda a, b, c: a * b * INVERSE - c, 5),
    "square": (1, lambda a: a * a * INVERSE, 1),
    "square_less": (3, lambda a, c, d: a * a * INVERSE - c - 2 * d, 13),
    "square_less_twice": (2, lambda a, d: a * a * INVERSE - 2 * d, 9),
    "products": (5, lambda a, b, c, d, e: (a * (b - e) - c * d) * INVERSE, 1),
}
# Components, of the operands' components.
OPERATIONS_IN_FP2 = {
    "product_in_fp2": (4, lambda a, b, c, d: ((a * c - b * d) * INVERSE, (a * d + b * c) * INVERSE), 2),
    "product_less_in_fp2": (
        6,
        lambda a, b, c, d, e, f: ((a * c - b * d) * INVERSE - e, (a * d + b * c) * INVERSE - f),
        5,
    ),
    "square_in_fp2": (2, lambda a, b: ((a * a - b * b) * INVERSE, 2 * a * b * INVERSE), 1),
    "square_less_in_fp2": (
        6,
        lambda a, b, c, d, e, f: ((a * a - b * b) * INVERSE - c - 2 * e, 2 * a * b * INVERSE - d - 2 * f),
        13,
    ),
}
EXACT = {
    "sum": (2, lambda a, b: a + b),
    "difference": (2, lambda a, b: a - b),
    "negative": (1, lambda a: -a),
    "double": (1, lambda a: 2 * a),
}


def right(name, values):
    if name in OPERATIONS:
        operands, residue, most = OPERATIONS[name]
        numbers = [number(values[i : i + 10]) for i in range(0, len(values), 10)]
        digits = values[-10:]
        return (
            len(numbers) == operands + 1
            and (numbers[-1] - residue(*numbers[:-1])) % P == 0
            and abs(numbers[-1]) < most * P
            and all(-(1 << 38) <= digit < 1 << 38 for digit in digits)
        )
    if name in OPERATIONS_IN_FP2:
        operands, residues, most = OPERATIONS_IN_FP2[name]
        numbers = [number(values[i : i + 10]) for i in range(0, len(values), 10)]
        return (
            len(numbers) == operands + 2
            and all((a - b) % P == 0 for a, b in zip(numbers[-2:], residues(*numbers[:-2])))
            and all(abs(a) < most * P for a in numbers[-2:])
            and all(-(1 << 38) <= digit < 1 << 38 for digit in values[-20:-11] + values[-10:-1])
        )
    if name in EXACT:
        operands, exact = EXACT[name]
        numbers = [number(values[i : i + 10]) for i in range(0, len(values), 10)]
        in_range = all(abs(digit) <= (1 << 38) + 1 for digit in values[-10:-1])
        return len(numbers) == operands + 1 and numbers[-1] == exact(*numbers[:-1]) and in_range
    if name == "to":
        limbs = sum(limb << 32 * i for i, limb in enumerate(values[10:]))
        return limbs < P and (64 * limbs - number(values[:10])) % P == 0
    if name == "from":
        limbs = sum(limb << 32 * i for i, limb in enumerate(values[:12]))
        digits = values[12:]
        return number(digits) == 64 * limbs and all(-(1 << 38) <= digit < 1 << 38 for digit in digits)
    if name == "reduced":
        limbs = sum(limb << 32 * i for i, limb in enumerate(values[:12]))
        value, digits = number(values[12:]), values[12:]
        in_range = all(-(1 << 38) <= digit < 1 << 38 for digit in digits)
        return (value - 64 * limbs) % P == 0 and 0 <= value < P + (P >> 20) and in_range
    if name == "packed":
        return values[:10] == values[10:] and all(-(1 << 38) <= digit < 1 << 38 for digit in values[:9])
    if name == "packed_as_finite":
        return True
    if name == "packed_as_infinity":
        return False
    if name == "returned":
        return True
    return (number(values) % P == 0) == (name == "zero")


def main():
    counts, wrong = Counter(), Counter()
    for text in sys.stdin:
        name, *values = text.split()
        counts[name] += 1
        if "low" in values or not right(name, list(map(int, values))):
            wrong[name] += 1
            if sum(wrong.values()) < 10:
                print("wrong:", text.strip())
    print(", ".join(f"{name}: {count}" for name, count in counts.items()))
    returned = counts["returned"] == counts["from"]
    if wrong or not returned or not counts["zero"] or not counts["not_zero"]:
        print("wrong:", dict(wrong), "returned" if returned else "not all returned")
        sys.exit(1)


main()
