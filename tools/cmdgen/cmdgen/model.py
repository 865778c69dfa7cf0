# SPDX-License-Identifier: MIT
"""
DOC: The database in memory, and as XML

The XML is Mesa's genxml: <instruction> and <struct> hold <field>s and <group>s whose bits count from the
start of the command (of the group's element), so that readers of that format read it. What genxml has no word
for is an extra attribute, which those readers pass over:

  instruction  command   the name in the manual, when an engine's variant needs another key
               section   the manual's volume and section
               source    where it comes from when not from the manual
               entries   how many entries of the manual it stands for (the same command, once an engine)
               min, max  dwords, when the length is not one number
               takes     dwords of the shortest form that engines execute, when that is not the manual's
  struct       section, source
  field        exists    the manual's "Exists If", as text
               corrected "true" when the overrides changed it
               unit      "minus-one" when the hardware adds one to the value
               sep       "true" when it shares bits with another field on purpose

A field is (name, first bit, last bit, type); types are uint, int, bool, address, offset, mbz, mbo, uN.M, sN.M,
or a struct's name. No description is kept: the manual's prose is its authors', the tables are facts.
"""
import re
import xml.etree.ElementTree as ET
from xml.sax.saxutils import quoteattr

ENGINES = ("render", "blitter", "video", "videoenhance", "compute", "position")
# Which of them a generation's parts have; an instruction without the engine attribute is for all of these.
GEN_ENGINES = {"6": ENGINES[:3], "7": ENGINES[:3], "9": ENGINES[:4], "12": ENGINES}
ENGINE_SUFFIX = {"render": "RCS", "blitter": "BCS", "video": "VCS", "videoenhance": "VECS",
                 "compute": "CCS", "position": "POCS"}
FIXED = re.compile(r"^([us])(\d+)\.(\d+)$")
BASIC = ("uint", "int", "bool", "address", "offset", "mbz", "mbo", "float")


class Field:
    """One field; start and end are bits, end included."""

    def __init__(self, name, start, end, type_="uint", default=None, values=None, **extra):
        self.name, self.start, self.end, self.type = name, start, end, type_
        self.default, self.values = default, values or []
        self.exists = extra.get("exists")
        self.corrected = extra.get("corrected", False)
        self.unit = extra.get("unit")
        self.opcode = extra.get("opcode", False)
        self.sep = extra.get("sep", False)

    @property
    def width(self):
        return self.end - self.start + 1

    @property
    def reserved(self):
        return self.type in ("mbz", "mbo") or self.name.startswith("Reserved")

    def copy(self):
        return Field(self.name, self.start, self.end, self.type, self.default, list(self.values),
                     exists=self.exists, corrected=self.corrected, unit=self.unit, opcode=self.opcode,
                     sep=self.sep)


class Group:
    """An array of elements of size bits; count 0 repeats to the end of the command."""

    def __init__(self, start, size, count, items):
        self.start, self.size, self.count, self.items = start, size, count, items

    def copy(self):
        return Group(self.start, self.size, self.count, [i.copy() for i in self.items])


class Command:
    """An instruction or, without engines and opcode, a structure. Lengths are dwords; length None is variable."""

    def __init__(self, name, items, bias=None, length=None, engines=(), **extra):
        self.name, self.items, self.bias, self.length = name, items, bias, length
        self.engines = tuple(engines)
        self.command = extra.get("command")
        self.section, self.source = extra.get("section"), extra.get("source")
        self.entries = extra.get("entries", 1)
        self.min, self.max = extra.get("min"), extra.get("max")
        self.takes = extra.get("takes")
        self.struct = extra.get("struct", False)

    def copy(self):
        c = Command(self.name, [i.copy() for i in self.items], self.bias, self.length, self.engines,
                    command=self.command, section=self.section, source=self.source, entries=self.entries,
                    min=self.min, max=self.max, takes=self.takes, struct=self.struct)
        return c

    def fields(self):
        """Plain fields, and groups of fixed count unrolled; (field, first bit, array index or None, prefix)."""
        def walk(items, base, index):
            for i in items:
                if isinstance(i, Field):
                    yield i, base + i.start, index
                else:
                    for n in range(i.count):
                        yield from walk(i.items, base + i.start + n * i.size,
                                        (index or ()) + (n,))
        yield from walk(self.items, 0, None)

    def tail(self):
        """The group that repeats to the end of the command, or None."""
        for i in self.items:
            if isinstance(i, Group) and i.count == 0:
                return i
        return None

    def shortest(self):
        """Dwords of the shortest form that engines execute. A blitter's immediate data may be any amount."""
        if self.takes is not None:
            return self.takes
        if self.length is None and self.engines == ("blitter",):
            return max(self.extent(), self.bias)
        return self.min or (self.length if self.tail() is None else self.extent()) or self.extent()

    def extent(self):
        """Dwords that the tables describe, without a repeating tail."""
        last = max([f.width + bit for f, bit, _ in self.fields()] or [0])
        return (last + 31) // 32

    def length_field(self):
        if self.struct:
            return None
        for i in self.items:
            if isinstance(i, Field) and i.name == "DWord Length" and i.start == 0:
                return i
        return None

    def opcode(self):
        """(match, mask) of the first dword: its fields with a fixed value, but for the length."""
        match = mask = 0
        for i in self.items:
            if isinstance(i, Field) and i.opcode:
                m = ((1 << i.width) - 1) << i.start
                match |= i.default << i.start
                mask |= m
        return match, mask

    def full(self):
        """Is every bit of the described dwords in a named field, and no body opaque?"""
        seen = 0
        for f, bit, _ in self.fields():
            if f.name.startswith("Opaque"):
                return False
            seen |= ((1 << f.width) - 1) << bit
        return seen == (1 << (self.extent() * 32)) - 1


class Enum:
    def __init__(self, name, values, prefix=None, source=None):
        self.name, self.values, self.prefix, self.source = name, values, prefix, source


class Database:
    def __init__(self, name, gen):
        self.name, self.gen = name, gen
        self.instructions, self.structs, self.enums = {}, {}, {}

    @property
    def tag(self):
        return "gen" + str(self.gen)

    def add(self, cmd):
        pool = self.structs if cmd.struct else self.instructions
        cmd.engines = tuple(e for e in cmd.engines if e in GEN_ENGINES[self.gen])
        if not cmd.struct and not cmd.engines:
            raise ValueError("%s: %s has no engine there" % (self.tag, cmd.name))
        if cmd.name in pool:
            raise ValueError("%s: %s is there twice" % (self.tag, cmd.name))
        pool[cmd.name] = cmd


def attrs(pairs):
    return "".join(" %s=%s" % (k, quoteattr(str(v))) for k, v in pairs if v not in (None, False, ""))


def write_items(out, items, indent):
    pad = "  " * indent
    for i in items:
        if isinstance(i, Group):
            out.append("%s<group%s>" % (pad, attrs((("count", str(i.count)), ("start", str(i.start)),
                                                     ("size", str(i.size))))))
            write_items(out, i.items, indent + 1)
            out.append("%s</group>" % pad)
            continue
        default = None if i.default is None else str(i.default)
        a = attrs((("name", i.name), ("start", str(i.start)), ("end", str(i.end)), ("type", i.type),
                   ("default", default), ("unit", i.unit), ("exists", i.exists), ("sep", "true" if i.sep else None),
                   ("opcode", "true" if i.opcode else None), ("corrected", "true" if i.corrected else None)))
        if not i.values:
            out.append("%s<field%s/>" % (pad, a))
            continue
        prefix = re.sub(r"[^A-Z0-9]+", "_", i.name.upper()).strip("_")
        prefix = "_" + prefix if prefix[0].isdigit() else prefix
        out.append("%s<field%s prefix=%s>" % (pad, a, quoteattr(prefix)))
        for name, value in i.values:
            out.append("%s  <value name=%s value=\"%d\"/>" % (pad, quoteattr(name), value))
        out.append("%s</field>" % pad)


def types(items):
    """The types of all fields, of groups' too."""
    for i in items:
        if isinstance(i, Group):
            yield from types(i.items)
        else:
            yield i.type


def struct_order(db):
    """Structures by name, but each after those that it holds: C and genxml want them so."""
    done, out = set(), []

    def visit(s):
        if s.name not in done:
            done.add(s.name)
            for t in sorted(set(types(s.items))):
                if t in db.structs:
                    visit(db.structs[t])
            out.append(s)
    for s in sorted(db.structs.values(), key=lambda s: s.name):
        visit(s)
    return out


def dump(db, header):
    """The database as text; sorted, so that equal databases are equal files."""
    out = ['<?xml version="1.0" ?>', "<!-- SPDX-License-Identifier: MIT -->"]
    out += ["<!--"] + ["  " + line for line in header] + ["-->"]
    out.append("<genxml%s>" % attrs((("name", db.name), ("gen", db.gen))))
    for e in sorted(db.enums.values(), key=lambda e: e.name):
        out.append("  <enum%s>" % attrs((("name", e.name), ("prefix", e.prefix), ("source", e.source))))
        for name, value in e.values:
            out.append("    <value name=%s value=\"%d\"/>" % (quoteattr(name), value))
        out.append("  </enum>")
    for c in struct_order(db):
        out.append("  <struct%s>" % attrs((("name", c.name), ("length", str(c.length)), ("section", c.section),
                                           ("source", c.source))))
        write_items(out, c.items, 2)
        out.append("  </struct>")
    for c in sorted(db.instructions.values(), key=lambda c: c.name):
        out.append("  <instruction%s>" % attrs((
            ("name", c.name), ("bias", c.bias), ("length", c.length),
            ("engine", None if c.engines == GEN_ENGINES[db.gen] else "|".join(c.engines)), ("command", c.command),
            ("section", c.section), ("source", c.source), ("entries", c.entries if c.entries != 1 else None),
            ("min", c.min), ("max", c.max), ("takes", c.takes))))
        write_items(out, c.items, 2)
        out.append("  </instruction>")
    out.append("</genxml>")
    return "\n".join(out) + "\n"


def number(text):
    return None if text is None else int(text, 0)


def read_items(node):
    items = []
    for n in node:
        if n.tag == "group":
            items.append(Group(int(n.get("start")), int(n.get("size")), int(n.get("count")), read_items(n)))
        elif n.tag == "field":
            values = [(v.get("name"), int(v.get("value"), 0)) for v in n.findall("value")]
            items.append(Field(n.get("name"), int(n.get("start")), int(n.get("end")), n.get("type"),
                               number(n.get("default")), values, exists=n.get("exists"), unit=n.get("unit"),
                               corrected=n.get("corrected") == "true", opcode=n.get("opcode") == "true",
                               sep=n.get("sep") == "true"))
    return items


def read_command(n):
    engines = n.get("engine")
    return Command(n.get("name"), read_items(n), number(n.get("bias")), number(n.get("length")),
                   () if n.tag == "struct" else tuple(engines.split("|")) if engines else ENGINES,
                   command=n.get("command"), section=n.get("section"), source=n.get("source"),
                   entries=int(n.get("entries", "1")), min=number(n.get("min")), max=number(n.get("max")),
                   takes=number(n.get("takes")),
                   struct=n.tag == "struct")


def load(path):
    root = ET.parse(path).getroot()
    db = Database(root.get("name"), root.get("gen"))
    for n in root:
        if n.tag == "enum":
            values = [(v.get("name"), int(v.get("value"), 0)) for v in n.findall("value")]
            db.enums[n.get("name")] = Enum(n.get("name"), values, n.get("prefix"), n.get("source"))
        elif n.tag in ("instruction", "struct"):
            db.add(read_command(n))
    return db
