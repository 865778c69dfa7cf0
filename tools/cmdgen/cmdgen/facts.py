# SPDX-License-Identifier: MIT
"""
DOC: Facts from Mesa's genxml, where the manuals at hand have none

Kaby Lake's and Apollo Lake's volumes name commands and hold no layouts; Sandy Bridge's and Ivy Bridge's hold the
media ones only; DG1's puts the bodies of most 3D commands in a volume that is not public text here. What is taken is
named one by one in the overrides, and each entry says so in its source attribute.
"""
import re
import xml.etree.ElementTree as ET

from .convert import mark_shared
from .model import BASIC, ENGINES, FIXED, Command, Enum, Field, Group, number, read_items, types


OPCODE = re.compile(r"op ?code|command|pipeline|subtype", re.I)


def mark_opcodes(items):
    """A default in the header is the opcode's, the length's or merely the usual value; the last is dropped."""
    for i in items:
        if not isinstance(i, Field) or i.start >= 32 or i.default is None:
            continue
        if i.start == 0 and i.name.endswith("Length"):
            i.name = "DWord Length"
        elif OPCODE.search(i.name):
            i.opcode = True
        else:
            i.default = None


def settle(items, structs, size=None):
    """Their overlaps are unions, on purpose; what is wider than 64 bits is an array; reserved ones say so in the name."""
    for n, i in enumerate(items):
        if isinstance(i, Group):
            settle(i.items, structs, i.size if i.count else None)
            continue
        if size is not None and i.end >= size:
            i.end = size - 1
        if i.type in structs and 0 < structs[i.type] < i.width:
            i.end = i.start + structs[i.type] - 1
        if i.width > 64 and structs.get(i.type) != i.width:
            items[n] = Group(i.start, 32, i.width // 32, [Field(i.name, 0, 31)])
        if i.name and re.match(r"^Reserved.*MBZ", i.name):
            i.name, i.type = "Reserved", "mbz"
        elif i.name and re.match(r"^Reserved.*Must be 1", i.name):
            i.name, i.type = "Reserved", "mbo"
    mark_shared(items)


class Facts:
    """One generation's file."""

    def __init__(self, path, label):
        self.root, self.label = ET.parse(path).getroot(), label
        self.nodes = {}
        for n in self.root:
            if n.tag in ("instruction", "struct", "enum"):
                self.nodes[(n.tag, n.get("name"))] = n

        self.struct_bits = {name: int(n.get("length")) * 32 for (tag, name), n in self.nodes.items() if tag == "struct"}

    def alias(self, name):
        """Their name for the command: in capitals, sometimes with another separator."""
        for n in (name, name.upper()):
            if ("instruction", n) in self.nodes:
                return n
        raise KeyError("%s has no %s" % (self.label, name))

    def names(self, tag):
        return [name for t, name in self.nodes if t == tag]

    def command(self, name):
        n = self.nodes.get(("instruction", name))
        if n is None:
            raise KeyError("%s has no %s" % (self.label, name))
        items = read_items(n)
        mark_opcodes(items)
        settle(items, self.struct_bits)
        engines = n.get("engine")
        return Command(name.replace(" command", ""), items, number(n.get("bias")), number(n.get("length")),
                       tuple(engines.split("|")) if engines else ENGINES, source=self.label)

    def take(self, db, name):
        """The instruction, and every structure and enumeration that it names."""
        c = self.command(name)
        self.need(db, c.items)
        db.add(c)
        return c

    def take_struct(self, db, name):
        if name in db.structs:
            return
        n = self.nodes[("struct", name)]
        c = Command(name, read_items(n), length=int(n.get("length")), source=self.label, struct=True)
        settle(c.items, self.struct_bits)
        self.need(db, c.items)
        if c.length == 0:
            c.length = c.extent()
        db.add(c)

    def need(self, db, items):
        for t in types(items):
            if t in BASIC or FIXED.match(t) or t in db.structs or t in db.enums:
                continue
            if ("struct", t) in self.nodes:
                self.take_struct(db, t)
            elif ("enum", t) in self.nodes:
                n = self.nodes[("enum", t)]
                db.enums[t] = Enum(t, [(v.get("name"), number(v.get("value"))) for v in n.findall("value")],
                                   prefix=n.get("prefix"), source=self.label)
            else:
                raise KeyError("%s: type %s is nowhere" % (self.label, t))
