"""Errors planted in the bytes of a kernel, which the prover must refuse.

The errors are: each bit flipped, each instruction replaced by NOPs, each exchanged with the next
one, and each ADCX made ADOX and the reverse. What no longer decodes is not counted, nor another
encoding of the same instructions.
"""

import difflib
import struct
import time
from collections import Counter

from algebra import Refused
from kernels import SAMPLES, check, evaluate
from machine import JUMP, follow


NOP = b"\x90"


def instructions(listing):
    """Returns the instructions of a function in order, up to the return."""
    found, offset = [], 0
    while True:
        found.append(listing(offset))
        if found[-1].name == "ret":
            return found
        offset += found[-1].size


def changes(code, original):
    """Yields kinds of errors, with the changed code."""
    for instruction in original:
        at, end = instruction.offset, instruction.offset + instruction.size
        for bit in range(8 * instruction.size):
            place = at + bit // 8
            flipped = code[place] ^ 1 << bit % 8
            yield "bit flipped", code[:place] + bytes([flipped]) + code[place + 1 :]
        yield "deleted", code[:at] + NOP * instruction.size + code[end:]
        if instruction.name in ("adcx", "adox"):
            prefix = b"\xf3" if instruction.name == "adcx" else b"\x66"
            yield "adcx or adox", code[:at] + prefix + code[at + 1 :]
    for first, second in zip(original, original[1:]):
        at, middle, end = first.offset, second.offset, second.offset + second.size
        yield "exchanged", code[:at] + code[middle:end] + code[at:middle] + code[end:]
    for jump in original:
        if jump.name != JUMP or jump.size != 6:  # its last 4 bytes say how far
            continue
        head, behind = jump.operands[0].value, jump.offset + jump.size
        before = [instruction for instruction in original if instruction.offset < head]
        for first, second in list(zip(before, before[1:]))[::-1]:
            both = code[first.offset : second.offset + second.size]
            back = struct.pack("<i", head - behind - len(both))
            yield "repeated", code[:head] + both + code[head : behind - 4] + back + code[behind:]


def text(listing):
    """Returns the instructions of changed code, or None if it does not decode."""
    try:
        return [str(instruction) for instruction in instructions(listing)]
    except Refused:
        return None


def plant(kernel, code, decoder, cpu):
    """Plants every error in a kernel, and prints how many the prover refuses, and the others.

    A changed kernel that returns is run by the CPU too, and must compute what the table of
    instructions says. One that the prover accepts must compute the right result. So the prover
    accepts a change only if it makes no difference to the CPU.
    """
    begin = time.process_time()
    original = instructions(decoder.listing(code))
    plain = [str(instruction) for instruction in original]
    planted, compared, accepted = Counter(), 0, Counter()
    for kind, changed in changes(code, original):
        listing = decoder.listing(changed)
        now = text(listing)
        if now is None or now == plain:
            continue
        planted[kind] += 1
        try:
            machine, results = follow(kernel.arguments, listing)
            for inputs in SAMPLES[:: len(SAMPLES) // 5]:
                expected = evaluate(results[-1], machine.facts.values(inputs))
                result = cpu.run(kernel, changed, inputs)
                assert result == expected, f"the CPU computes {result:#x}, not {expected:#x}"
            compared += 1
            check(kernel, machine.facts, results)
        except Refused:
            continue
        accepted[kind] += 1
        right(kernel, changed, cpu)
        if kind != "exchanged":
            lines = [line for line in difflib.ndiff(plain, now) if line[0] in "+-"]
            print("  accepted:", "; ".join(lines), flush=True)
    for kind, count in planted.items():
        print(f"  {kind}: {count - accepted[kind]} of {count} refused")
    seconds = time.process_time() - begin
    print(f"  {compared} of them run by the CPU, {seconds:.0f} s", flush=True)
    if not compared or sum(planted.values()) < 10 * len(original):
        raise SystemExit("too few errors were planted")


def right(kernel, code, cpu):
    """Fails unless the CPU computes right results for all samples, and for n from 1 to 3."""
    for inputs in SAMPLES:
        a, b = (sum(inputs[f"{x}{i}"] << 64 * i for i in range(4)) for x in "ab")
        for n in (1, 2, 3) if "n" in kernel.arguments else (1,):
            product = pow(a, 2**n, kernel.modulus) if "n" in kernel.arguments else a * b
            result = cpu.run(kernel, code, inputs | {"n": n})
            if (result - product) % kernel.modulus or result >= kernel.limit:
                raise SystemExit(f"accepted, but wrong for {inputs}, n = {n}: {result:#x}")
