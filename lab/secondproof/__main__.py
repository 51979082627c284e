"""Proves multiplication in linked programs, for all inputs.

    python lab/secondproof [-plant] PROGRAM

PROGRAM is a program for Linux on amd64 that Go has linked, with its symbols. The kernels of
kernels.py are disassembled and run on numbers that stand for all inputs. A word is a polynomial
with integer coefficients. Its unknowns are the words of the inputs and the floors of numbers
divided by 2^64: carries, borrows, high halves of products. The claim is that the result is
congruent to the product, and below the limit that its doc comment in Go states. Unknowns whose
coefficient is a multiple of the modulus do not matter. Each other one, such as a carry that is
dropped, must be constant. That is shown by linear inequalities, with cases for carries.

This program and _asm share no code. A proof says nothing about time, which registers or memory hold
secrets afterwards, frame pointers, or Go's wrappers that move arguments from registers to the
stack. It trusts:

  - pyelftools, to find the function, and capstone, to decode it;
  - the table amd64.py: 19 instructions, besides NOP, RET and JNE;
  - the places of arguments in Go's ABI0 (ARGUMENTS and KEPT in machine.py), and pointers to 32
    readable or writable bytes, aligned or not, away from the kernel's stack;
  - z3, where it says that linear inequalities of rational numbers contradict each other;
  - algebra.py, machine.py and kernels.py: definitions of carries, the rule for loops, and claims.

For 561 inputs all facts that a proof uses are evaluated; one that does not hold ends the program.

With -plant, errors are planted in the bytes of the field's kernels for amd64 (planted.py), and the
CPU, which must have ADX, runs the changed kernels.
"""

import argparse
import time

from algebra import Refused
from binary import Decoder, function
from cpu import CPU
from kernels import KERNELS, MODULE, prove
from planted import plant


def main():
    parser = argparse.ArgumentParser(prog="secondproof")
    parser.add_argument("-plant", action="store_true")
    parser.add_argument("program")
    arguments = parser.parse_args()
    for kernel in KERNELS:
        begin = time.process_time()
        code = function(arguments.program, f"{MODULE}{kernel.name}.abi0")
        decoder = Decoder()
        try:
            unknowns = prove(kernel, decoder.listing(code))
        except Refused as refused:
            raise SystemExit(f"{kernel.name} is not proven: {refused}")
        seconds = time.process_time() - begin
        print(f"proven: {kernel.name}, {unknowns} unknowns, {seconds:.1f} s", flush=True)
        if arguments.plant and kernel.name.startswith("field."):
            plant(kernel, code, decoder, CPU())


main()
