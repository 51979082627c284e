"""Runs the code of a kernel for amd64 on this machine's CPU."""

import ctypes
import mmap
import struct

# A C function (v, a, b) that passes its arguments on the stack, as Go's ABI0 does, and calls the
# code behind it. It saves the registers that C functions keep.
SAVE = bytes.fromhex("53 55 4154 4155 4156 4157 52 56 57")  # push; last rdx, rsi, rdi
RESTORE = bytes.fromhex("4883c418 415f 415e 415d 415c 5d 5b c3")  # add rsp, 24; pop; ret
CALL = b"\xe8" + struct.pack("<i", len(RESTORE))


class CPU:
    def __init__(self):
        self.memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)

    def run(self, kernel, code, inputs):
        """Returns the result of a kernel that the prover followed to its return."""
        self.memory.seek(0)
        self.memory.write(SAVE + CALL + RESTORE + code)
        numbers = {name: (ctypes.c_uint64 * 4)() for name in "vab"}
        for name in "ab":
            numbers[name][:] = [inputs[f"{name}{i}"] for i in range(4)]
        pointers = {name: ctypes.addressof(words) for name, words in numbers.items()}
        pointers["n"] = inputs["n"]
        arguments = [pointers[name] for name in kernel.arguments]
        self.call(*arguments + [0] * (3 - len(arguments)))
        return sum(word << 64 * i for i, word in enumerate(numbers["v"]))
