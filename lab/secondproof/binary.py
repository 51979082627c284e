"""The code of a function in a linked program, and its instructions."""

from collections import namedtuple

import capstone
from elftools.elf.elffile import ELFFile

from algebra import Refused

Register = namedtuple("Register", "name size kind", defaults=["register"])
Immediate = namedtuple("Immediate", "value size kind", defaults=["immediate"])
Memory = namedtuple("Memory", "base offset size kind", defaults=["memory"])

PREFIXES = bytes.fromhex("26 2e 36 3e 64 65 66 67 f0 f2 f3")


class Instruction(namedtuple("Instruction", "offset size name operands text")):
    def __str__(self):
        return self.text


def function(program, symbol):
    """Returns the bytes of the function with a symbol. There must be one such symbol."""
    with open(program, "rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".symtab").get_symbol_by_name(symbol)
        if symbols is None or len(symbols) != 1:
            raise SystemExit(f"{program} has not one symbol {symbol}")
        start, size = symbols[0]["st_value"], symbols[0]["st_size"]
        text = elf.get_section_by_name(".text")
        begin = start - text["sh_addr"]
        code = text.data()[begin : begin + size]
        if begin < 0 or size == 0 or len(code) != size:
            raise SystemExit(f"{symbol} is not in the text section")
        return code


class Decoder:
    """Decodes instructions by capstone, and remembers them."""

    def __init__(self):
        self.engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self.engine.detail = True
        self.known = {}

    def listing(self, code):
        """Returns a function that returns the instruction at an offset in the code."""

        def at(offset):
            if not 0 <= offset < len(code):
                raise Refused(f"it runs out of the function, to {offset:#x}")
            key = offset, code[offset : offset + 16]
            if key not in self.known:
                self.known[key] = self.decode(*key)
            if self.known[key] is None:
                raise Refused(f"no instruction at {offset:#x}")
            return self.known[key]

        return at

    def decode(self, offset, data):
        for found in self.engine.disasm(data, offset, 1):
            operands = tuple(self.operand(found, operand) for operand in found.operands)
            text = f"{found.mnemonic} {found.op_str}".strip()
            return Instruction(offset, found.size, self.name(found), operands, text)
        return None

    def name(self, found):
        """Returns the name of an instruction. With needless prefixes it is one without a rule."""
        count = len(found.bytes) - len(found.bytes.lstrip(PREFIXES))
        needed = {"adcx": b"\x66", "adox": b"\xf3"}.get(found.mnemonic, b"")
        return found.mnemonic if found.bytes[:count] == needed else "another " + found.mnemonic

    def operand(self, found, operand):
        """Returns an operand. Memory with a segment or an index is an unknown register."""
        memory = operand.mem
        if operand.type == capstone.CS_OP_REG:
            return Register(found.reg_name(operand.reg), operand.size)
        if operand.type == capstone.CS_OP_IMM:
            return Immediate(operand.imm, operand.size)
        if operand.type == capstone.CS_OP_MEM and not memory.segment and not memory.index:
            return Memory(found.reg_name(memory.base), memory.disp, operand.size)
        return Register("unknown", operand.size)
