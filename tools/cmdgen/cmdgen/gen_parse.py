# SPDX-License-Identifier: MIT
"""
DOC: Tables of the driver's command parsers: igen/parse/NAME.h

parse/genN.xml decides for each command of an engine whether a client may use it; opcodes, lengths and the places of bits
and registers are the database's. A command that the database does not have is an error, and so is a command of the engine
without a decision. Elements of a parser (name, engine):

  register  name, access, count     a register that a client may name, in the words of igen/regs/; access: "read" or "write",
            dwords                  which includes reading; with count that many, {n} counting; of so many dwords, or one
  allow     command or prefix       the command runs, or all whose names begin so
            zero                    fields that must be zero, separated by slashes
            reads, writes, each     fields that hold the offset of a register which the command reads or writes; each: dwords
                                    from one to the next in what repeats
            min                     the shortest length, in dwords, when it is not the database's
            reserved="any"          bits of the header without a name may be set
            reserved2="zero"        reserved bits of the third dword must be zero
            stores, global, when    the field that holds an address which the command writes, the one that makes it one of the
                                    GGTT, and the one without which, being zero, the command writes nothing; the parser puts
                                    the address of the GGTT there (struct igen_parse_cmd)
            gen                     bits that this generation's database names may be set too
  end       command                 ends the batch; no bit but the opcode's may be set
  jump      command, one            jumps; the fields of one must be all ones, no other bit may be set, the length is the usual
  ignore    command                 becomes MI_NOOP
  refuse    command                 makes the batch one that may not run

The shortest length is the database's; where immediate data ends a command of the blitter, that of the command without
data, as the engine takes any amount.
"""
import xml.etree.ElementTree as ET

from .model import Field

VERDICTS = {"allow": "ALLOWED", "end": "END", "jump": "JUMP", "ignore": "IGNORED", "refuse": "REFUSED"}
HEADER_BITS = 32
GFX = 3             # the command type of 3D, media and video commands


class BadParser(Exception):
    pass


def bits(f):
    """A field's bits within its first dword."""
    end = min(f.end, f.start // 32 * 32 + 31)
    return ((1 << end - f.start + 1) - 1) << f.start % 32


def field(cmd, name):
    for f, bit, _ in cmd.fields():
        if f.name == name:
            found = f.copy()
            found.start, found.end = bit, bit + f.width - 1
            return found
    raise BadParser("%s has no field %s" % (cmd.name, name))


def split(text):
    return text.split("/") if text else []


def named_bits(cmd):
    """Bits of the header that have a name: opcode, length and every field that is not reserved."""
    found = 0
    for f in cmd.items:
        if isinstance(f, Field) and f.start < HEADER_BITS and not f.reserved:
            found |= bits(f)
    return found


class Row:
    """One command's entry."""

    def __init__(self, node, cmd, other):
        self.cmd, self.verdict = cmd, VERDICTS[node.tag]
        self.opcode, self.opcode_mask = cmd.opcode()
        length = cmd.length_field()
        self.length_mask = bits(length) if length is not None else 0
        self.bias = cmd.bias if length is not None else cmd.length
        self.value, self.zero1, self.zero2 = self.opcode, 0, 0
        self.reg = self.step = self.reads = 0
        self.mask = 0xffffffff & ~named_bits(cmd)
        if other is not None:
            self.mask &= ~named_bits(other)
        if node.get("reserved") == "any":
            self.mask = 0
        # The index of an entry is the whole opcode, where the database fixes all of it.
        self.mask |= self.opcode_mask
        self.limits(int(node.get("min", "0")))
        if node.tag == "end":
            self.mask = 0xffffffff
        if node.tag == "jump":
            self.mask = 0xffffffff
            self.value |= self.min - self.bias
            for name in split(node.get("one")):
                self.value |= self.header_field(name)
        if node.tag == "refuse":
            self.mask = self.opcode_mask
        if node.tag == "ignore" and (length is not None or cmd.length != 1):
            raise BadParser("%s has more than one dword" % cmd.name)
        self.zeros(split(node.get("zero")))
        if node.get("reserved2") == "zero":
            self.reserved_zeros(2)
        self.store = self.store_mask = self.store_header = self.store_global = self.store_when = 0
        if node.get("stores"):
            self.stores(node.get("stores"), node.get("global"), node.get("when"))
        self.reads = len(split(node.get("reads")))
        self.registers(split(node.get("reads")) + split(node.get("writes")), int(node.get("each", "0")))

    def limits(self, least):
        cmd = self.cmd
        if not self.length_mask:
            self.min = self.max = self.bias
            return
        most = self.length_mask + self.bias
        self.min, self.max = cmd.min or cmd.length, cmd.max or cmd.length or most
        if cmd.length is None and cmd.engines == ("blitter",):
            self.min, self.max = cmd.shortest(), most
        self.min = least or self.min
        if not self.bias <= self.min <= self.max <= most:
            raise BadParser("%s cannot have %d to %d dwords" % (cmd.name, self.min, self.max))

    def header_field(self, name):
        f = field(self.cmd, name)
        if f.start >= HEADER_BITS:
            raise BadParser("%s: %s is not in the header" % (self.cmd.name, name))
        return bits(f)

    def zeros(self, names):
        for name in names:
            f = field(self.cmd, name)
            if f.start // 32 == 0:
                self.mask |= bits(f)
            elif f.start // 32 == 1 and self.min > 1:
                self.zero1 |= bits(f)
            else:
                raise BadParser("%s: %s is in no dword that the parser looks at" % (self.cmd.name, name))

    def reserved_zeros(self, dword):
        if self.min <= dword:
            raise BadParser("%s has no dword %d" % (self.cmd.name, dword))
        for f in self.cmd.items:
            if isinstance(f, Field) and f.reserved and f.start // 32 == dword:
                self.zero2 |= bits(f)

    def stores(self, address, space, when):
        f, g = field(self.cmd, address), field(self.cmd, space)
        self.store, self.store_mask = f.start // 32, bits(f)
        if g.start // 32 == 0:
            self.store_header = bits(g)
        elif g.start // 32 == self.store:
            self.store_global = bits(g)
        else:
            raise BadParser("%s: %s is in no dword that the parser writes" % (self.cmd.name, space))
        if when:
            w = field(self.cmd, when)
            # In the header of a command with one flag dword less.
            if w.start // 32 != self.store - 1:
                raise BadParser("%s: %s is not before the address" % (self.cmd.name, when))
            self.store_when = bits(w)
        elif self.min <= self.store:
            raise BadParser("%s may be too short for an address" % self.cmd.name)

    def registers(self, names, each):
        places = [field(self.cmd, name).start // 32 for name in names]
        if not places:
            return
        self.reg = places[0]
        if each:
            tail = self.cmd.tail()
            if len(places) != 1 or tail is None or tail.size != 32 * each:
                raise BadParser("%s does not repeat so" % self.cmd.name)
            self.step = each
        elif len(places) > 1:
            self.step = places[1] - places[0]
            if list(range(places[0], self.max, self.step)) != places or self.min != self.max:
                raise BadParser("%s: its registers are not up to its end" % self.cmd.name)

    def is_gfx(self):
        """Is its place in the second table, which is sorted by opcodes of 16 bits?"""
        if self.opcode >> 29 != GFX:
            return False
        if self.opcode_mask != 0xffff0000:
            raise BadParser("%s: its opcode does not have 16 bits" % self.cmd.name)
        return True

    def index(self):
        """Its places in the table: a blitter's opcode has seven bits, an MI opcode six."""
        kind, shift, width = self.opcode >> 29, *((22, 7) if self.opcode >> 29 else (23, 6))
        whole = 7 << 29 | ((1 << width) - 1) << shift
        if kind not in (0, 2) or self.opcode_mask != whole:
            raise BadParser("%s: its opcode is not that of an MI or blitter command" % self.cmd.name)
        number = self.opcode >> shift & (1 << width) - 1
        return "IGEN_PARSE_BLT + 0x%02x" % number if kind else "0x%02x" % number

    def text(self):
        parts = [".verdict = IGEN_PARSE_" + self.verdict, ".length_mask = 0x%x" % self.length_mask,
                 ".bias = %d" % self.bias, ".min = %d" % self.min, ".max = %d" % self.max,
                 ".mask = 0x%08x" % self.mask, ".value = 0x%08x" % (self.value & self.mask)]
        if self.zero1:
            parts.append(".zero1 = 0x%08x" % self.zero1)
        if self.zero2:
            parts.append(".zero2 = 0x%08x" % self.zero2)
        if self.reg:
            parts += [".reg = %d" % self.reg, ".step = %d" % self.step, ".reads = %d" % self.reads]
        if self.store:
            parts += [".store = %d" % self.store, ".store_mask = 0x%08x" % self.store_mask]
            parts += [".%s = 0x%08x" % (n, getattr(self, n)) for n in ("store_header", "store_global", "store_when")
                      if getattr(self, n)]
        place = "" if self.is_gfx() else "[%s] = " % self.index()
        return "\t/* %s */\n\t%s{ %s }," % (self.cmd.name, place, ", ".join(parts))


class Parsers:
    def __init__(self, path, load):
        """load: gives a generation's database."""
        self.root = ET.parse(path).getroot()
        self.load, self.db = load, load(self.root.get("gen"))

    def rows(self, parser):
        engine, rows, seen = parser.get("engine"), [], set()
        commands = {c.name: c for c in self.db.instructions.values() if engine in c.engines}
        for node in parser:
            if node.tag == "register":
                continue
            if node.tag not in VERDICTS:
                raise BadParser("<%s> is no element of a parser" % node.tag)
            prefix = node.get("prefix")
            names = sorted(n for n in commands if n.startswith(prefix)) if prefix else [node.get("command")]
            for name in names:
                if name not in commands:
                    raise BadParser("%s: the %s has no %s" % (self.db.tag, engine, name))
                if name in seen:
                    raise BadParser("%s is decided twice" % name)
                seen.add(name)
                other = self.load(node.get("gen")).instructions[name] if node.get("gen") else None
                rows.append(Row(node, commands[name], other))
        missing = sorted(set(commands) - seen)
        if missing:
            raise BadParser("%s: nothing is decided of %s" % (parser.get("name"), ", ".join(missing)))
        return sorted(rows, key=lambda row: row.opcode)

    @staticmethod
    def registers(parser):
        found = []
        for n in parser.findall("register"):
            if n.get("access") not in ("read", "write"):
                raise BadParser("%s: access is read or write" % n.get("name"))
            for i in range(int(n.get("count", "1"))):
                name = n.get("name").format(n=i)
                found += [(name + (" + %d" % (4 * d) if d else ""), int(n.get("access") == "write"))
                          for d in range(int(n.get("dwords", "1")))]
        return found

    def header(self, parser):
        name = parser.get("name")
        guard = "_IGEN_PARSE_%s_H_" % name.upper()
        out = ["/* SPDX-License-Identifier: MIT */",
               "/* %s, %s: generated by tools/cmdgen from parse/%s.xml; the numbers are xml/%s.xml's. */" %
               (self.db.name, parser.get("engine"), self.db.tag, self.db.tag),
               "#ifndef " + guard, "#define " + guard, "", "#include <igen/regs/engine.h>",
               "#include <igen/regs/workarounds.h>", "",
               "#include \"parse.h\"", "",
               "static const struct igen_parse_cmd %s_cmds[IGEN_PARSE_CMDS] = {" % name]
        rows = self.rows(parser)
        out += [row.text() for row in rows if not row.is_gfx()]
        out += ["};", ""]
        if any(row.is_gfx() for row in rows):
            out += ["static const struct igen_parse_cmd %s_gfx[] = {" % name]
            out += [row.text() for row in rows if row.is_gfx()] + ["};", ""]
        out += ["/* Registers that a client's batch may name; ends with 0. */",
                "static const struct igen_parse_reg %s_regs[] = {" % name]
        out += ["\t{ %s, %d }," % reg for reg in self.registers(parser)]
        out += ["\t{ 0, 0 }", "};", "", "#endif"]
        return "\n".join(out) + "\n"

    def headers(self):
        """(file name, text) of each parser."""
        return [(p.get("name") + ".h", self.header(p)) for p in self.root.findall("parser")]
