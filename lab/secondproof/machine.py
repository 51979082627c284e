"""A machine that runs the code of a kernel on numbers that stand for all inputs.

The machine has registers, flags, the stack, and the memory of the arguments. amd64.py says what
each instruction does to them. What the machine does not know it refuses.
"""

import amd64
from algebra import Facts, Number, Pointer, Refused, number

FRAME_MAX = 64  # bytes of the stack that a kernel may use
COUNT_MAX = (1 << 63) - 1  # of Go's type int

# What a function of Go's ABI0 restores, and the place of the first argument from RSP on entry.
KEPT = {"rbp": "RBP on entry", "rsp": Pointer("stack", 0)}
ARGUMENTS = 8  # behind the address of return
RETURN, JUMP = "ret", "jne"
ENDS = RETURN, JUMP


class Machine:
    """The state of a run.

    registers, flags and stack hold what is defined. stack maps offsets from the stack pointer on
    entry. written maps offsets in the result's memory to words. In a loop, the inputs in memory are
    no longer those that the unknowns stand for.
    """

    def __init__(self, arguments):
        self.arguments, self.facts = arguments, Facts()
        self.registers = dict(KEPT)
        self.flags, self.stack, self.written = {}, {}, {}
        self.loop = False

    def register(self, name):
        if name not in self.registers:
            raise Refused(f"{name} is undefined at {self.facts.place}")
        return self.registers[name]

    def pointer(self, name):
        """Returns the address in a register."""
        value = self.register(name)
        if not isinstance(value, Pointer):
            raise Refused(f"memory by a number at {self.facts.place}")
        return value

    def flag(self, name):
        if name not in self.flags:
            raise Refused(f"flag {name} is undefined at {self.facts.place}")
        return self.flags[name]

    def word(self, value):
        """Returns a value that must be a number."""
        if not isinstance(value, Number):
            raise Refused(f"arithmetic with an address at {self.facts.place}")
        return value

    def load(self, address):
        """Returns the 8 bytes at an address."""
        base, offset = self.reached(address)
        if base == "stack":
            index = (offset - ARGUMENTS) // 8
            if 0 <= index < len(self.arguments):
                name = self.arguments[index]
                if name != "n":
                    return Pointer(name, 0)
                if not self.loop:
                    return self.facts.input("n", 1, COUNT_MAX)
            if offset in self.stack:
                return self.stack[offset]
        # The result may share memory with a and b: nothing is read after a word is written.
        elif base != "v" and not self.written and not self.loop:
            return self.facts.input(f"{base}{offset // 8}")
        raise Refused(f"a read of {base} at {offset}, at {self.facts.place}")

    def store(self, address, value):
        """Stores 8 bytes: to the result, or to the stack below the frame of the caller."""
        base, offset = self.reached(address)
        if base == "v":
            self.written[offset] = self.word(value)
        elif base == "stack" and offset < 0:
            self.stack[offset] = value
        else:
            raise Refused(f"a write to {base} at {offset}, at {self.facts.place}")

    def reached(self, address):
        """Returns base and offset of an address, which must be that of a whole word."""
        base, offset = address
        low, end = (self.registers["rsp"].offset, 32) if base == "stack" else (0, 32)
        inside = low <= offset < end
        if offset % 8 or not inside:
            raise Refused(f"an address outside of {base}: {offset}, at {self.facts.place}")
        return base, offset

    def run(self, listing, offset, seen):
        """Runs from an offset in the code up to the return or the first conditional jump.

        listing returns the instruction at an offset. The result is that instruction. seen gets the
        state before each instruction.
        """
        while True:
            instruction = listing(offset)
            self.facts.place = f"+{offset:#x} {instruction}"
            seen[offset] = self.state()
            if instruction.name in ENDS and len(instruction.operands) == (instruction.name == JUMP):
                return instruction
            amd64.step(self, instruction)
            self.check_stack()
            offset += instruction.size

    def check_stack(self):
        """Forgets the stack below the stack pointer, where other programs may write."""
        top = self.registers["rsp"]
        if not isinstance(top, Pointer) or top.base != "stack" or not -FRAME_MAX <= top.offset <= 0:
            raise Refused(f"another stack at {self.facts.place}")
        self.stack = {offset: v for offset, v in self.stack.items() if offset >= top.offset}

    def state(self):
        """Returns registers, by name, and the stack, by offset, as one dictionary."""
        return self.registers | self.stack

    def resume(self, state):
        """Starts again from a state, with fresh facts, and flags undefined."""
        self.facts, self.flags, self.written, self.loop = Facts(), {}, {}, True
        self.registers = {place: v for place, v in state.items() if isinstance(place, str)}
        self.stack = {place: v for place, v in state.items() if isinstance(place, int)}
        self.facts.input("n", 1, COUNT_MAX)
        for i in range(4):
            self.facts.input(f"a{i}")

    def returned(self):
        """Checks the state at the return, and returns the four words of the result."""
        for name, value in KEPT.items():
            if self.registers.get(name) != value:
                raise Refused(f"{name} is not restored")
        if sorted(self.written) != [0, 8, 16, 24]:
            raise Refused("the result is not four words")
        return [self.written[offset] for offset in (0, 8, 16, 24)]


def follow(arguments, listing):
    """Runs a kernel. Returns the machine at its return, and a list of results.

    Each result is a list of four words that must be congruent to the claim. Without a loop there is
    one result. A kernel with a loop has two: what a round leaves for the next one, and what it
    returns after the last.
    """
    machine, seen = Machine(arguments), {}
    end = machine.run(listing, 0, seen)
    if end.name == RETURN and "n" not in arguments:
        return machine, [machine.returned()]
    head = target(end)
    if "n" not in arguments or head not in seen or machine.written:
        raise Refused(f"a jump that is no loop's, at {machine.facts.place}")

    # The state before the first round, with any words for a and any n ≥ 1, stands for the state
    # before every round, if a round leaves a state of the same form: a's words replaced by those of
    # its square, n by n − 1. A place with another value after a round is undefined in each.
    state = seen[head]
    while True:
        machine.resume(state)
        end = machine.run(listing, head, {})
        after = machine.state()
        same = {place: v for place, v in state.items() if carried(v, after.get(place))}
        if same == state:
            break
        state = same
    less = machine.facts.input("n") - number(1)
    if end.name != JUMP or target(end) != head or machine.flag("zero") != less or machine.written:
        raise Refused(f"a loop that does not count, at {machine.facts.place}")
    round_ = [words_after(state, after, f"a{i}") for i in range(4)]
    end = machine.run(listing, end.offset + end.size, {})
    if end.name != RETURN:
        raise Refused(f"a second jump, at {machine.facts.place}")
    return machine, [round_, machine.returned()]


def target(jump):
    """Returns the offset to which an instruction jumps, or None."""
    return jump.operands[0].value if jump.name == JUMP else None


def input_name(value):
    """Returns the name of the input that a value is, or None."""
    if isinstance(value, Number) and len(value.poly.terms) == 1:
        (monomial, c), = value.poly.terms.items()
        if len(monomial) == 1 and c == 1 and "floor" not in monomial[0]:
            return monomial[0]
    return None


def carried(before, after):
    """Reports whether a place holds, after a round, what the next round needs."""
    if input_name(before) == "n":
        return after == before - number(1)
    if input_name(before):
        return isinstance(after, Number)  # words_after and the claim look at its value
    varies = isinstance(before, Number) and before.poly.constant() is None
    return before == after and not varies


def words_after(state, after, name):
    """Returns what the only place that held an input holds after a round."""
    places = [place for place, value in state.items() if input_name(value) == name]
    if len(places) != 1:
        raise Refused(f"{len(places)} places hold {name} at the head of the loop")
    return after[places[0]]
