# SPDX-License-Identifier: MIT
"""
DOC: Checks of a database before anything is made from it

Fields lie within the command, share bits only when marked so, have types that exist and values that fit; C names are
unique; no two commands of one engine match the same header.
"""
from .flatten import ident, leaves, tail_leaves
from .model import BASIC, FIXED, Field, Group


def check_items(db, cmd, items, where, size):
    plain = []
    for i in items:
        if isinstance(i, Group):
            if i.size <= 0 or i.start < 0:
                yield "%s: group at bit %d has no size" % (where, i.start)
            yield from check_items(db, cmd, i.items, where, i.size)
            continue
        plain.append(i)
        if not 0 <= i.start <= i.end or (size is not None and i.end >= size):
            yield "%s: %s has bits %d..%d of %s" % (where, i.name, i.start, i.end, size)
        if i.type not in BASIC and not FIXED.match(i.type) and i.type not in db.structs and i.type not in db.enums:
            yield "%s: %s has the unknown type %s" % (where, i.name, i.type)
        if i.width > 64 and (i.type not in db.structs or db.structs[i.type].length * 32 != i.width):
            yield "%s: %s is %d bits wide" % (where, i.name, i.width)
        for name, v in i.values:
            if v >> i.width:
                yield "%s: %s: value %s does not fit" % (where, i.name, name)
        if i.default is not None and i.default >> i.width:
            yield "%s: %s: default does not fit" % (where, i.name)
    for n, a in enumerate(plain):
        for b in plain[n + 1:]:
            if a.start <= b.end and b.start <= a.end and not (a.sep and b.sep):
                yield "%s: %s and %s share bits" % (where, a.name, b.name)


def check_names(db, cmd, where):
    seen = set()
    for leaf in leaves(db, cmd):
        if leaf.settable:
            if tuple(leaf.path) in seen:
                yield "%s: two members %s" % (where, ".".join(leaf.path))
            seen.add(tuple(leaf.path))


def check(db):
    """Yields what is wrong, as text."""
    for cmd in list(db.structs.values()) + list(db.instructions.values()):
        where = "%s %s" % (db.tag, cmd.name)
        if cmd.struct and not cmd.length:
            yield where + ": no length"
        limit = (cmd.max or cmd.length or cmd.extent()) * 32 if cmd.tail() is None else None
        yield from check_items(db, cmd, cmd.items, where, limit)
        yield from check_names(db, cmd, where)
        if not (cmd.section or cmd.source):
            yield where + ": neither section nor source"
        if tail_leaves(db, cmd) and not cmd.struct and cmd.tail().start != cmd.extent() * 32:
            yield "%s: the tail begins at bit %d, the fields end with dword %d" % (where, cmd.tail().start,
                                                                                cmd.extent())
    yield from collisions(db)
    names = {}
    for cmd in list(db.structs.values()) + list(db.instructions.values()):
        other = names.setdefault(ident(cmd.name), cmd.name)
        if other != cmd.name:
            yield "%s: %s and %s are one C name" % (db.tag, cmd.name, other)


def collisions(db):
    """Two commands of one engine that a header could both be."""
    cmds = list(db.instructions.values())
    for n, a in enumerate(cmds):
        am, ak = a.opcode()
        for b in cmds[n + 1:]:
            bm, bk = b.opcode()
            if (am ^ bm) & ak & bk == 0 and set(a.engines) & set(b.engines):
                # The one that fixes more bits wins; only as many is a collision.
                if bin(ak).count("1") == bin(bk).count("1"):
                    yield "%s: %s and %s have one header" % (db.tag, a.name, b.name)
