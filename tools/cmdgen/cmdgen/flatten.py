# SPDX-License-Identifier: MIT
"""
DOC: The view that the generators share

A command is a list of leaves: structures are followed, arrays stay arrays of one dimension (outer dimensions are
written out). Each leaf knows its name for people, its path in C, its bits, and whether a packer sets it. The
decode tables and the packers' structs are made from the same list, so that they cannot differ.
"""
import re

from .model import FIXED, Field, Group

KEYWORDS = {"default", "int", "long", "short", "char", "float", "double", "signed", "unsigned", "register", "static",
            "switch", "case", "break", "continue", "if", "else", "for", "while", "do", "goto", "return", "struct",
            "union", "enum", "void", "volatile", "const", "extern", "auto", "inline", "bool", "true", "false"}


def ident(name):
    """A C identifier in lower case."""
    s = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unnamed"
    if s[0].isdigit():
        s = "_" + s
    return s + "_" if s in KEYWORDS else s


def macro(name):
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")


class Leaf:
    """bits start.. of width; count > 1 repeats each stride bits. kind: uint int bool address fixed sfixed float
    mbz mbo reserved opcode length."""

    def __init__(self, field, name, path, start, kind, **extra):
        self.field, self.name, self.path, self.start, self.kind = field, name, path, start, kind
        self.width = field.width
        self.count, self.stride = extra.get("count", 1), extra.get("stride", 0)
        self.values = extra.get("values") or []
        self.frac = extra.get("frac", 0)

    @property
    def settable(self):
        return self.kind not in ("mbz", "mbo", "reserved", "opcode")

    @property
    def last(self):
        return self.start + self.width - 1 + self.stride * (self.count - 1)


def struct_of(db, field):
    """The structure a field is, if it has its full size and stands on a dword; else it is a number."""
    s = db.structs.get(field.type)
    if s is None or s.length * 32 != field.width or field.start % 32:
        return None
    return s


def kind_of(db, field, is_length):
    """(kind, named values, fraction bits)."""
    if field.type in ("mbz", "mbo"):
        return field.type, [], 0
    if field.opcode:
        return "opcode", [], 0
    if is_length:
        return "length", [], 0
    if field.name.startswith("Reserved"):
        return "reserved", [], 0
    if field.type in ("bool", "int", "float"):
        return field.type, field.values, 0
    if field.type in ("address", "offset"):
        return "address", field.values, 0
    m = FIXED.match(field.type)
    if m:
        return "fixed" if m.group(1) == "u" else "sfixed", field.values, int(m.group(3))
    if field.type in db.enums:
        return "uint", db.enums[field.type].values, 0
    return "uint", field.values, 0


def leaves(db, cmd):
    """The leaves of a command or structure without its repeating tail, in order of bits."""
    length, out = cmd.length_field(), []

    def field(f, base, name, path, dims):
        s = struct_of(db, f)
        if s is not None:
            walk(s.items, base + f.start, name + [f.name], path + [ident(f.name)], dims)
            return
        kind, values, frac = kind_of(db, f, f is length)
        place(f, base + f.start, name + [f.name], path + [ident(f.name)], kind, values, frac, dims)

    def place(f, start, name, path, kind, values, frac, dims):
        if len(dims) > 1:
            depth, count, stride = dims[0]
            for n in range(count):
                p = list(path)
                p[depth] += "[%d]" % n
                place(f, start + n * stride, name[:-1] + ["%s[%d]" % (name[-1], n)], p, kind, values, frac,
                      dims[1:])
            return
        count, stride = (dims[0][1], dims[0][2]) if dims else (1, 0)
        leaf = Leaf(f, ": ".join(name), path, start, kind, values=values, frac=frac, count=count, stride=stride)
        leaf.depth = dims[0][0] if dims else None
        out.append(leaf)

    def walk(items, base, name, path, dims):
        for i in items:
            if isinstance(i, Field):
                field(i, base, name, path, dims)
            elif i.count:
                # The array is the C member at this depth; a group's fields are members side by side.
                walk(i.items, base + i.start, name, path, dims + [(len(path), i.count, i.size)])

    walk(cmd.items, 0, [], [], [])
    return sorted(out, key=lambda x: (x.start, x.width))


def tail_leaves(db, cmd):
    """(element size in bits, leaves of one element), or None."""
    tail = cmd.tail()
    if tail is None:
        return None
    from .model import Command
    element = Command(cmd.name, tail.items, struct=True, length=(tail.size + 31) // 32)
    return tail.size, leaves(db, element)


def members(db, items, length=None, dims=()):
    """The struct's members, in order: (C name, field, structure or None, dimensions)."""
    for i in sorted(items, key=lambda i: i.start):
        if isinstance(i, Group):
            if i.count:
                yield from members(db, i.items, length, dims + (i.count,))
        elif kind_of(db, i, i is length)[0] not in ("mbz", "mbo", "reserved", "opcode"):
            yield ident(i.name), i, struct_of(db, i), dims
