"""Exact integers: polynomials of unknowns, facts about the unknowns, and claims shown from them.

An unknown is a word of the input, or the floor of a polynomial divided by 2^64. There are no
rounded numbers and no residues here: every equation holds between integers.
"""

from collections import namedtuple
from math import prod

import z3

WORD = 1 << 64
MAX = WORD - 1
CASES = 40  # that the proof of one inequality may have


class Refused(Exception):
    """The proof fails. The text says at what."""


class Poly:
    """A polynomial with integer coefficients.

    terms maps a monomial, a sorted tuple of unknowns' names, to its coefficient, which is not 0.
    """

    def __init__(self, terms):
        self.terms = {monomial: c for monomial, c in terms.items() if c}

    def __add__(self, other):
        both = self.terms.keys() | other.terms.keys()
        return Poly({m: self.terms.get(m, 0) + other.terms.get(m, 0) for m in both})

    def __sub__(self, other):
        return self + other.times(-1)

    def __mul__(self, other):
        terms = {}
        for left, c in self.terms.items():
            for right, d in other.terms.items():
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + c * d
        return Poly(terms)

    def __eq__(self, other):
        return self.terms == other.terms

    def times(self, factor):
        return Poly({monomial: c * factor for monomial, c in self.terms.items()})

    def constant(self):
        """Returns the value of a constant polynomial, or None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def value(self, values):
        """Returns the value for values of the unknowns."""
        return sum(c * prod(values[name] for name in m) for m, c in self.terms.items())


def integer(value):
    return Poly({(): value})


class Number:
    """A polynomial whose value is from low to high, for all inputs."""

    def __init__(self, poly, low, high):
        self.poly, self.low, self.high = poly, low, high

    def __eq__(self, other):
        return isinstance(other, Number) and self.poly == other.poly

    def __add__(self, other):
        return Number(self.poly + other.poly, self.low + other.low, self.high + other.high)

    def __sub__(self, other):
        return Number(self.poly - other.poly, self.low - other.high, self.high - other.low)


class Pointer(namedtuple("Pointer", "base offset")):
    """An address: that of an argument's memory ("v", "a", "b") or of the stack, and an offset."""

    def plus(self, offset):
        return Pointer(self.base, self.offset + offset)


def number(value):
    return Number(integer(value), value, value)


class Facts:
    """The unknowns of a run and what is known of them.

    facts are polynomials that are at least 0. They hold for all inputs.
    """

    def __init__(self):
        self.place = ""  # the instruction at work, for the names of unknowns
        self.inputs = set()
        self.floors = {}  # the polynomial that each floor divides by 2^64
        self.carries = {}  # the lower value of each floor that has two
        self.names = {}  # the name of the floor of a polynomial
        self.multiplied = set()  # pairs whose product has its facts
        self.facts = []

    def input(self, name, low=0, high=MAX):
        """Returns an input with a range."""
        unknown = Number(Poly({(name,): 1}), low, high)
        if name not in self.inputs:
            self.inputs.add(name)
            self.within(unknown)
        return unknown

    def within(self, x):
        """Adds the fact that x is in its range."""
        self.facts.append(x.poly - integer(x.low))
        self.facts.append(integer(x.high) - x.poly)

    def split(self, x):
        """Returns low and high with low + 2^64·high = x and 0 ≤ low < 2^64.

        This is the only definition of carries, borrows and high halves of products. The high part
        is the floor of x/2^64.
        """
        low, high = x.low >> 64, x.high >> 64
        if low == high:
            floor = number(low)
        elif x.low >= -1 and x.high <= 0:
            floor = x  # the floor of −1/2^64 is −1, and that of 0 is 0
        else:
            key = frozenset(x.poly.terms.items())
            name = self.names.setdefault(key, f"floor{len(self.names)}{self.place}")
            floor = Number(Poly({(name,): 1}), low, high)
            if name not in self.floors:
                self.floors[name] = x.poly
                self.within(floor)
                self.carries |= {name: low} if high == low + 1 else {}
                self.within(Number(x.poly - floor.poly.times(WORD), 0, MAX))
        rest = x.poly - floor.poly.times(WORD)
        if low == high:
            return Number(rest, x.low - WORD * low, x.high - WORD * low), floor
        return Number(rest, 0, MAX), floor

    def product(self, x, y):
        """Returns x·y, for numbers that are not negative.

        A product of two unknowns is one more unknown for the solver. It is bounded by four facts: a
        product of two distances from the ends of a range is not negative.
        """
        assert x.low >= 0 and y.low >= 0
        result = Number(x.poly * y.poly, x.low * y.low, x.high * y.high)
        key = frozenset(result.poly.terms.items())
        if x.poly.constant() is None and y.poly.constant() is None and key not in self.multiplied:
            self.multiplied.add(key)
            for left in (x.poly - integer(x.low), integer(x.high) - x.poly):
                for right in (y.poly - integer(y.low), integer(y.high) - y.poly):
                    self.facts.append(left * right)
        return result

    def select(self, bit, x, y):
        """Returns x where bit is 1, and y where it is 0."""
        both = self.product(bit, x) + self.product(number(1) - bit, y)
        return Number(both.poly, min(x.low, y.low), max(x.high, y.high))

    def masked(self, x, y):
        """Returns x & y, for an x that is 0 or 2^64 − 1 whatever the inputs are."""
        if any(c % MAX for c in x.poly.terms.values()):
            raise Refused(f"AND of a number that is no mask, at {self.place}")
        # bit = x/MAX is an integer, and so 0 or 1, because x is a word.
        bit = Poly({monomial: c // MAX for monomial, c in x.poly.terms.items()})
        return self.product(Number(bit, 0, 1), y)

    def values(self, inputs):
        """Returns the values of all unknowns for inputs. A fact that does not hold is an error."""
        values = dict(inputs)
        for name, poly in self.floors.items():
            values[name] = poly.value(values) >> 64
        for fact in self.facts:
            assert fact.value(values) >= 0, "the prover has a wrong fact"
        return values


class Claims:
    """Shows claims from the facts, by a solver of linear inequalities and by cases of carries.

    Each monomial is a variable of the solver, which may have any rational value that the facts
    allow. So the solver knows less than is true, and what it shows holds.
    """

    def __init__(self, facts):
        self.facts = facts
        self.solver = z3.SolverFor("QF_LRA")
        self.variables = {(): z3.RealVal(1)}
        for fact in facts.facts:
            self.solver.add(self.linear(fact) >= 0)

    def linear(self, poly):
        summands = []
        for monomial, c in poly.terms.items():
            if monomial not in self.variables:
                self.variables[monomial] = z3.Real("*".join(monomial))
            summands.append(c * self.variables[monomial])
        return z3.Sum(summands)

    def impossible(self, poly):
        """Reports whether poly ≥ 0 contradicts the facts."""
        self.left = CASES
        return self.contradiction(self.linear(poly) >= 0)

    def contradiction(self, assumption):
        """Reports whether an assumption contradicts the facts and the assumptions before it.

        If the solver finds rational numbers that agree with all, a carry may be a fraction among
        them. Then there are two cases: it is 0, or it is 1. (A borrow is −1 or 0.)
        """
        self.left -= 1
        if self.left < 0:
            return False
        self.solver.push()
        self.solver.add(assumption)
        answer = self.solver.check()
        shown = answer == z3.unsat
        carry = self.fraction() if answer == z3.sat else None
        if carry:
            variable, low = carry
            shown = self.contradiction(variable <= low) and self.contradiction(variable >= low + 1)
        self.solver.pop()
        return shown

    def fraction(self):
        """Returns the last carry that is a fraction in the solver's model, and its lower value."""
        model = self.solver.model()
        for name, low in reversed(self.facts.carries.items()):
            variable = self.variables[(name,)]
            value = model.eval(variable)
            if z3.is_rational_value(value) and low < value.as_fraction() < low + 1:
                return variable, low
        return None

    def is_constant(self, poly, value):
        """Reports whether the facts allow no other value of poly. That is then one more fact."""
        above, below = poly - integer(value + 1), integer(value - 1) - poly
        if not self.impossible(above) or not self.impossible(below):
            return False
        self.solver.add(self.linear(poly) == value)
        return True


def congruent(facts, claims, poly, modulus, values):
    """Shows that poly ≡ 0 modulo a number.

    An unknown with a coefficient that is a multiple of the modulus does not matter. Every other one
    must be constant, such as a carry out of the topmost word that is always 0. values are those of
    the unknowns for one input, and so the only possible constants.
    """
    left = {monomial: c % modulus for monomial, c in poly.terms.items() if c % modulus}
    rest = left.pop((), 0)
    for name in facts.floors:
        c = left.pop((name,), 0)
        if c and not claims.is_constant(Poly({(name,): 1}), values[name]):
            raise Refused(f"not shown to be always {values[name]}: {name}")
        rest += c * values[name]
    if left:
        raise Refused(f"the result depends on {list(left)}")
    if rest % modulus:
        raise Refused(f"off by {rest % modulus}")
