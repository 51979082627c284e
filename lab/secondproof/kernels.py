"""The kernels, the claim for each, and its proof."""

import random
from collections import namedtuple
from itertools import combinations_with_replacement

from algebra import Claims, Poly, Refused, congruent, integer
from machine import follow

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
MODULE = "github.com/koblitz-go/koblitz/internal/"

# The words of v are below 2^64. So a kernel whose limit is 2^256 has a result in range if it is
# congruent. The doc comments in internal/field and internal/scalar state the ranges: every a and b
# below 2^256 is allowed; v is below 2^256 modulo p, and below n modulo n. n ≥ 1 in squareN.
Kernel = namedtuple("Kernel", "name arguments modulus limit")
KERNELS = [
    Kernel("field.mulADX", "vab", P, 2**256),
    Kernel("field.squareNADX", "van", P, 2**256),
    Kernel("scalar.mulADX", "vab", N, N),
    Kernel("scalar.squareADX", "va", N, N),
]


def together(words):
    """Returns the number of 256 bits with four words."""
    total = Poly({})
    for i, word in enumerate(words):
        total += word.times(2 ** (64 * i))
    return total


def factors(kernel):
    """Returns the two numbers whose product the result must be: a and b, or a and a."""
    second = "b" if "b" in kernel.arguments else "a"
    return [together([Poly({(f"{x}{i}",): 1}) for i in range(4)]) for x in ("a", second)]


def edges():
    """Returns numbers of 256 bits at which carries happen that random numbers do not cause."""
    chosen = [0, 1, 2**256 - 1, P - 1, P, P + 1, N - 1, N, N + 1, 2**256 - 2**64, 2**128 - 1]
    chosen += [2**255, 2**192 - 1, 2**256 - 2**128, (P + 1) // 2, 2**256 - 2**32, 2**224 + 977]
    source = random.Random(1)
    chosen += [source.getrandbits(256) for _ in range(8)]
    for _ in range(8):  # words of zeros and ones
        chosen.append(sum(source.choice([0, 1, 2**64 - 1]) << 64 * i for i in range(4)))
    return chosen


# Inputs: a value for each word of a and b, with n = 1.
SAMPLES = [
    {f"{name}{i}": x >> 64 * i & 2**64 - 1 for name, x in zip("ab", pair) for i in range(4)}
    | {"n": 1}
    for pair in combinations_with_replacement(edges(), 2)
]


def prove(kernel, listing):
    """Proves a kernel for all inputs, or raises Refused. Returns the number of unknowns."""
    machine, results = follow(kernel.arguments, listing)
    check(kernel, machine.facts, results)
    return len(machine.facts.inputs) + len(machine.facts.floors)


def check(kernel, facts, results):
    """Shows the claim for the results of a run, or raises Refused."""
    a, b = factors(kernel)
    differences = [together([word.poly for word in words]) - a * b for words in results]

    # An input for which the claim is wrong ends the proof at once.
    for inputs in SAMPLES:
        values = facts.values(inputs)
        for words, difference in zip(results, differences):
            result = evaluate(words, values)
            if difference.value(values) % kernel.modulus or not 0 <= result < kernel.limit:
                text = " ".join(f"{name}={inputs[name]:#x}" for name in sorted(inputs))
                raise Refused(f"wrong for {text}")

    claims = Claims(facts)
    for words, difference in zip(results, differences):
        congruent(facts, claims, difference, kernel.modulus, facts.values(SAMPLES[-1]))
        if kernel.limit < 2**256:
            above = together([word.poly for word in words]) - integer(kernel.limit)
            if not claims.impossible(above):
                raise Refused("the result is not shown to be in range")


def evaluate(words, values):
    """Returns the number with four words, for values of the unknowns."""
    return sum(word.poly.value(values) << 64 * i for i, word in enumerate(words))
