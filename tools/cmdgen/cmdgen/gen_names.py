# SPDX-License-Identifier: MIT
"""
DOC: The headers that C code names commands with: igen/cmd/mi.h, gfx.h, blt.h

names/genN.xml says what driver, model and tests call a command, a field or a value; the numbers come from the database.
A name of something that the database does not have is an error. Elements:

  header   file, title              one header
  opcodes  prefix, field, and commands (a prefix) or engine
                                    the value of the opcode's field of each such command; its name less the given
                                    prefix and less strip at its end follows the prefix
  command  name, as                 its header with the length of its usual form, or of dwords; with each the macro
                                    takes the number n of elements, and has dwords + n * each; length="none" leaves
                                    the length out, as="" the header; gen takes it from another generation
    with   field, number            a value that belongs to this form
    mask   as                       the bits that tell the command
    field  name, as                 its mask within its dword; bit: of that bit alone; default: its fixed value;
                                    same: commands/fields that must lie in the same bits
      value  name or number, as     a value in the field's place, or as it is with the field's values="unshifted";
                                    less: less another value of the field
    pack   as, fields, params       a macro that makes one dword of several fields
  struct   name                     a structure's fields
"""
import re
import xml.etree.ElementTree as ET

from .flatten import kind_of
from .model import Field


class UnknownName(Exception):
    pass


def same_list(text):
    """"CMD/Field CMD/Field": a field's name may have blanks, a command's has none."""
    return re.findall(r"([A-Z0-9_]+)/(.*?)(?=\s+[A-Z0-9_]+/|\s*$)", " ".join(text.split()))


class Names:
    def __init__(self, path, load):
        """load: gives a generation's database."""
        self.root = ET.parse(path).getroot()
        self.load, self.dbs = load, {}
        self.db = self.database(self.root.get("gen"))
        self.out, self.seen = [], set()

    def database(self, gen):
        if gen not in self.dbs:
            self.dbs[gen] = self.load(gen)
        return self.dbs[gen]

    def define(self, name, text, note="", indent=0):
        if name in self.seen:
            raise UnknownName("%s is defined twice" % name)
        self.seen.add(name)
        left = "#define " + " " * indent + name
        tabs = "\t" * max(1, (48 - len(left) + 7) // 8)
        self.out.append(left + tabs + text + ("\t/* %s */" % note if note else ""))

    def command(self, name, db=None):
        db = db or self.db
        found = db.instructions.get(name) or db.structs.get(name)
        if found is None:
            raise UnknownName("%s has no %s" % (db.tag, name))
        return found

    @staticmethod
    def field(cmd, name):
        for i in cmd.items:
            if isinstance(i, Field) and i.name == name:
                if i.start // 32 != i.end // 32:
                    # An address: its part in the first dword.
                    i = i.copy()
                    i.end = i.start // 32 * 32 + 31
                return i
        raise UnknownName("%s has no field %s" % (cmd.name, name))

    @staticmethod
    def mask(f):
        return ((1 << f.width) - 1) << f.start % 32

    @staticmethod
    def place(f):
        high, low = f.end % 32, f.start % 32
        bits = "bit %d" % low if high == low else "bits %d:%d" % (high, low)
        return "dword %d, %s" % (f.start // 32, bits)

    def value(self, db, f, v):
        if v.get("number"):
            return int(v.get("number"), 0)
        named = dict(kind_of(db, f, False)[1])
        for name in (v.get("name"), v.get("less")):
            if name is not None and name not in named:
                raise UnknownName("field %s has no value %s, but %s" % (f.name, name, sorted(named)))
        return named[v.get("name")] - named.get(v.get("less"), 0)

    def fields(self, node, cmd, db):
        for n in node:
            if n.tag == "pack":
                self.pack(n, cmd)
            elif n.tag == "mask":
                self.define(n.get("as"), "0x%08xu" % cmd.opcode()[1], indent=2)
            elif n.tag == "field":
                self.one_field(n, cmd, db)
            elif n.tag != "with":
                raise UnknownName("<%s> is no element of a command" % n.tag)

    def one_field(self, n, cmd, db):
        f = self.field(cmd, n.get("name"))
        for other, name in same_list(n.get("same", "")):
            g = self.field(self.command(other), name)
            if (g.start, g.end) != (f.start, f.end):
                raise UnknownName("%s: %s lies elsewhere in %s" % (cmd.name, f.name, other))
        shown = f
        if n.get("bit"):
            shown = f.copy()
            shown.start = shown.end = f.start + int(n.get("bit"))
            if shown.start > f.end:
                raise UnknownName("%s: %s has no such bit" % (cmd.name, f.name))
        if n.get("as"):
            self.define(n.get("as"), "0x%08xu" % self.mask(shown), self.place(shown), 2)
        if n.get("default"):
            self.define(n.get("default"), "%du" % f.default, indent=4)
        for v in n:
            number = self.value(db, f, v)
            if number >> f.width:
                raise UnknownName("%s does not fit into %s" % (v.get("as"), f.name))
            if n.get("values") == "unshifted":
                self.define(v.get("as"), "0x%02xu" % number, indent=4)
            else:
                self.define(v.get("as"), "0x%08xu" % (number << f.start % 32), indent=4)

    def pack(self, n, cmd):
        params = [p.strip() for p in n.get("params").split(",")]
        fields = [self.field(cmd, name) for name in n.get("fields").split("/")]
        if len(params) != len(fields) or len({f.start // 32 for f in fields}) != 1:
            raise UnknownName("%s: a parameter for each field of one dword" % n.get("as"))
        parts = []
        for p, f in zip(params, fields):
            shift = " << %d" % (f.start % 32) if f.start % 32 else ""
            # What a shift pushes out needs no mask.
            masked = "" if f.end % 32 == 31 else " & 0x%xu" % ((1 << f.width) - 1)
            parts.append("((unsigned int)(%s)%s)%s" % (p, masked, shift) if shift and masked
                         else "(unsigned int)(%s)%s%s" % (p, shift, masked))
        self.define("%s(%s)" % (n.get("as"), ", ".join(params)), "((%s))" % ") | (".join(parts))

    def header_of(self, n, cmd):
        name = n.get("as", cmd.name)
        header = cmd.opcode()[0]
        for w in n.findall("with"):
            f = self.field(cmd, w.get("field"))
            if f.start >= 32:
                raise UnknownName("%s: %s is not in the header" % (cmd.name, f.name))
            header |= int(w.get("number"), 0) << f.start
        length = cmd.length_field()
        if length is None or n.get("length") == "none":
            self.define(name, "0x%08xu" % header)
            return
        if n.get("each"):
            each, rest = int(n.get("each")), int(n.get("dwords")) - cmd.bias
            tail = cmd.tail()
            if tail is None or tail.size != 32 * each or (tail.start - 32 * int(n.get("dwords"))) % tail.size:
                raise UnknownName("%s does not repeat so" % cmd.name)
            grow = "%d * (n)" % each if each != 1 else "(n)"
            if rest:
                grow += " %s %d" % ("+" if rest > 0 else "-", abs(rest))
            self.define(name + "(n)", "(0x%08xu | (%s))" % (header, grow))
            return
        dwords = int(n.get("dwords") or cmd.length or 0)
        low, high = cmd.min or cmd.length, cmd.max or cmd.length
        if not low <= dwords <= high:
            raise UnknownName("%s has no form of %d dwords" % (cmd.name, dwords))
        self.define(name, "0x%08xu" % (header | dwords - cmd.bias), "%d dwords" % dwords)

    def opcodes(self, n):
        for c in sorted(self.db.instructions.values(), key=lambda c: c.opcode()[0]):
            name = c.name
            if n.get("commands"):
                if not name.startswith(n.get("commands")):
                    continue
                name = name[len(n.get("commands")):]
            elif c.engines != (n.get("engine"),) or not any(
                    isinstance(i, Field) and i.name == n.get("field") for i in c.items):
                continue
            if n.get("strip") and name.endswith(n.get("strip")):
                name = name[:-len(n.get("strip"))]
            self.define(n.get("prefix") + name, "0x%02xu" % self.field(c, n.get("field")).default)

    def header(self, h):
        guard = "_IGEN_CMD_%s_H_" % h.get("file").upper()
        self.out = ["/* SPDX-License-Identifier: MIT */",
                    "/* %s, %s: generated by tools/cmdgen from names/%s.xml; the numbers are xml/%s.xml's. */" %
                    (h.get("title"), self.db.name, self.db.tag, self.db.tag),
                    "#ifndef " + guard, "#define " + guard, "", "#include <igen/regs/defs.h>", ""]
        for n in h:
            if n.tag == "opcodes":
                self.opcodes(n)
                self.out.append("")
                continue
            db = self.database(n.get("gen") or self.db.gen)
            cmd = self.command(n.get("name"), db)
            if n.tag == "command" and n.get("as") != "":
                self.header_of(n, cmd)
            self.fields(n, cmd, db)
            if len(n):
                self.out.append("")
        self.out += [] if self.out[-1] == "" else [""]
        self.out.append("#endif")
        return "\n".join(self.out) + "\n"

    def headers(self):
        """(file name, text) of each header."""
        return [(h.get("file") + ".h", self.header(h)) for h in self.root.findall("header")]
