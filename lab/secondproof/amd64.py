"""The instructions of amd64 that the kernels use, after Intel's manual, volume 2.

Each changes a machine as the processor does. Flags that an instruction leaves undefined, or whose
meaning no kernel needs, are undefined afterwards. OF is the carry of ADOX only: after other
arithmetic it says that a signed number is too large, which no kernel reads.
"""

import inspect

from algebra import MAX, Pointer, Refused, number


NUMBERED = [f"r{i}" for i in range(8, 16)]
WHOLE = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"] + NUMBERED
HALVES = ["eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"] + [r + "d" for r in NUMBERED]
ALL = "CF", "OF", "zero"


def read(machine, operand):
    if operand.kind == "register":
        if operand.name not in WHOLE:
            raise Refused(f"another register at {machine.facts.place}")
        return machine.register(operand.name)
    if operand.kind == "immediate":
        return number(operand.value & MAX)
    return machine.load(machine.pointer(operand.base).plus(operand.offset))


def write(machine, operand, value):
    if operand.kind == "memory":
        machine.store(machine.pointer(operand.base).plus(operand.offset), value)
    elif operand.kind == "register" and operand.name in WHOLE:
        machine.registers[operand.name] = value
    else:
        raise Refused(f"another register at {machine.facts.place}")


def define(machine, **flags):
    """Makes flags defined, and those that are None undefined."""
    machine.flags |= flags
    machine.flags = {name: value for name, value in machine.flags.items() if value is not None}


def step(machine, instruction):
    name, operands, facts = instruction.name, instruction.operands, machine.facts
    if name == "nop" and not operands:
        return
    sizes = {operand.size for operand in operands if operand.kind != "immediate"}
    if sizes == {4} and clear_or_bit(machine, name, operands):
        return
    if sizes != {8} or name not in STEPS or len(operands) != OPERANDS[name]:
        raise Refused(f"an instruction without a rule at {facts.place}")
    STEPS[name](machine, *operands)


def clear_or_bit(machine, name, operands):
    """Runs XOR of a 32-bit register with itself, and AND of a mask's low half with a constant.

    Both clear the upper half of the register.
    """
    to, source = operands[0], operands[-1]
    if to.kind != "register" or to.name not in HALVES or len(operands) != 2:
        return False
    register = WHOLE[HALVES.index(to.name)]
    if name == "xor" and source == to:
        result = number(0)
    elif name == "and" and source.kind == "immediate":
        mask = machine.word(machine.register(register))
        result = machine.facts.masked(mask, number(source.value & 0xFFFFFFFF))
    else:
        return False
    machine.registers[register] = result
    define(machine, CF=number(0), OF=number(0), zero=None)
    return True


def moves(machine, to, source):
    write(machine, to, read(machine, source))


def push(machine, source):
    value = read(machine, source)
    machine.registers["rsp"] = machine.register("rsp").plus(-8)
    machine.store(machine.register("rsp"), value)


def pop(machine, to):
    value = machine.load(machine.register("rsp"))
    machine.registers["rsp"] = machine.register("rsp").plus(8)
    write(machine, to, value)


def arithmetic(sign, carry_in, carry_out):
    """Returns ADD, ADC, ADCX, ADOX, SUB or SBB.

    carry_in is the flag that it adds or subtracts, or None. carry_out are the flags that it
    changes: the first is the carry or borrow, and others become undefined.
    """

    def run(machine, to, source):
        x, y = read(machine, to), read(machine, source)
        changed = dict.fromkeys(carry_out)
        if isinstance(x, Pointer) and carry_in is None and source.kind == "immediate":
            write(machine, to, x.plus(sign * source.value))
        else:
            total = plus(machine.word(x), machine.word(y), sign)
            if carry_in:
                total = plus(total, machine.flag(carry_in), sign)
            low, floor = machine.facts.split(total)
            write(machine, to, low)
            changed[carry_out[0]] = plus(number(0), floor, sign)
        define(machine, **changed)

    return run


def plus(x, y, sign):
    return x + y if sign == 1 else x - y


def negative(machine, to):
    low, floor = machine.facts.split(number(0) - machine.word(read(machine, to)))
    write(machine, to, low)
    define(machine, CF=number(0) - floor, OF=None, zero=None)


def count(machine, to, by):
    """Runs INC or DEC, which leave CF as it is. The flag zero is the number that may be 0."""
    low, _ = machine.facts.split(machine.word(read(machine, to)) + number(by))
    write(machine, to, low)
    define(machine, OF=None, zero=low)


def increment(machine, to):
    count(machine, to, 1)


def decrement(machine, to):
    count(machine, to, -1)


def complement(machine, to):
    write(machine, to, number(MAX) - machine.word(read(machine, to)))


def conjunction(machine, to, source):
    x, y = machine.word(read(machine, to)), machine.word(read(machine, source))
    if any(c % MAX for c in x.poly.terms.values()):
        x, y = y, x
    write(machine, to, machine.facts.masked(x, y))
    define(machine, CF=number(0), OF=number(0), zero=None)


def product(machine, high, low, source):
    """MULX: RDX times the source. If both results have one register, it gets the high one."""
    x, y = machine.word(machine.register("rdx")), machine.word(read(machine, source))
    rest, floor = machine.facts.split(machine.facts.product(x, y))
    write(machine, low, rest)
    write(machine, high, floor)


def low_product(machine, to, source):
    """IMUL with two operands: the low half, which has no sign."""
    x, y = machine.word(read(machine, to)), machine.word(read(machine, source))
    rest, _ = machine.facts.split(machine.facts.product(x, y))
    write(machine, to, rest)
    define(machine, CF=None, OF=None, zero=None)


def selection(machine, to, source):
    """CMOVB: the source if there is a carry."""
    x, y = machine.word(read(machine, source)), machine.word(read(machine, to))
    write(machine, to, machine.facts.select(machine.flag("CF"), x, y))


STEPS = {
    "mov": moves,
    "movabs": moves,
    "push": push,
    "pop": pop,
    "add": arithmetic(1, None, ALL),
    "adc": arithmetic(1, "CF", ALL),
    "adcx": arithmetic(1, "CF", ["CF"]),
    "adox": arithmetic(1, "OF", ["OF"]),
    "sub": arithmetic(-1, None, ALL),
    "sbb": arithmetic(-1, "CF", ALL),
    "neg": negative,
    "inc": increment,
    "dec": decrement,
    "not": complement,
    "and": conjunction,
    "mulx": product,
    "imul": low_product,
    "cmovb": selection,
}

OPERANDS = {name: len(inspect.signature(run).parameters) - 1 for name, run in STEPS.items()}
