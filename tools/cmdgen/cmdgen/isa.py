# SPDX-License-Identifier: MIT
"""
DOC: The instruction set of the execution units in memory

isa/*.xml hold it by subject: fields, opcodes, types, registers, compaction, messages. An element with gens is of these
generations alone ("7", "7-9", "6 12"), one without it of all. Bits are "63:61,94:89": pieces, the most significant first.
"""
import os
import xml.etree.ElementTree as ET

GENS = ("6", "7", "7.5", "9", "12")
FORMS = ("none", "basic", "math", "three", "jump", "jump_reg", "call", "ret", "wait", "sync", "send", "split")
TAKES = ("pred", "cmod", "sat", "mods", "branch_ctrl", "bitwise")
USES = ("register", "immediate", "three", "three_int", "three_float")
KINDS = {"u": "ISA_UNSIGNED", "s": "ISA_SIGNED", "f": "ISA_FLOAT", "v": "ISA_VECTOR"}


class Fault(Exception):
    """The database contradicts itself."""


def gens_of(node):
    """The generations that an element is of."""
    text = node.get("gens")
    if text is None:
        return list(GENS)
    found = []
    for part in text.split():
        first, _, last = part.partition("-")
        try:
            found += GENS[GENS.index(first):GENS.index(last or first) + 1]
        except ValueError:
            raise Fault("%s %s: no generation %s" % (node.tag, node.get("name"), part)) from None
    return found


def bits(text):
    """(start, width) of each piece."""
    pieces = []
    for part in text.split(","):
        high, _, low = part.partition(":")
        high, low = int(high), int(low or high)
        if high < low:
            raise Fault("bits %s run backwards" % text)
        pieces.append((low, high - low + 1))
    return pieces


def width(pieces):
    return sum(w for _, w in pieces)


def covered(pieces):
    return {b for start, w in pieces for b in range(start, start + w)}


class Step:
    """One step of expanding a compact instruction."""

    def __init__(self, node):
        self.kind, self.when, self.name = node.tag, node.get("when"), node.get("name", node.tag)
        self.from_, self.to = bits(node.get("index") or node.get("from")), bits(node.get("to"))
        self.values = []
        if node.tag == "immediate":
            self.kind, self.when = node.get("kind"), "immediate"
        elif node.tag == "table":
            rows = node.text.split()
            if len(rows) != 1 << width(self.from_) or {len(r) for r in rows} != {width(self.to)}:
                raise Fault("table %s: %d entries of %s bits" % (self.name, len(rows), {len(r) for r in rows}))
            self.values = [int(r, 2) for r in rows]
        elif width(self.from_) != width(self.to):
            raise Fault("copy of %s: another width" % node.get("from"))


class Isa:
    """All generations. What is of one generation is a dictionary by its name."""

    def __init__(self, folder):
        trees = {}
        for name in ("fields", "opcodes", "types", "registers", "compaction", "messages"):
            trees[name] = ET.parse(os.path.join(folder, name + ".xml")).getroot()
        self.types = [(n.get("name"), int(n.get("size")), n.get("kind")) for n in trees["types"].iter("type")]
        self.names = {}
        self.gens = {g: {} for g in GENS}
        self.load_fields(trees["fields"])
        self.load_opcodes(trees["opcodes"])
        self.load_codes(trees["types"])
        self.load_registers(trees["registers"])
        self.load_compaction(trees["compaction"])
        self.load_messages(trees["messages"])

    def known(self, kind, name):
        """The names of a kind in the order of the database: an enumeration of C."""
        names = self.names.setdefault(kind, [])
        if name not in names:
            names.append(name)
        return name

    def add(self, kind, gens, key, value):
        for g in gens:
            table = self.gens[g].setdefault(kind, {})
            if key in table:
                raise Fault("gen %s: two entries %s of %s" % (g, key, kind))
            table[key] = value

    def load_fields(self, tree):
        for group in tree.iter("group"):
            for n in group.iter("field"):
                name = "_".join(filter(None, (group.get("name"), n.get("name"))))
                pieces = bits(n.get("bits"))
                if max(covered(pieces)) > 127 or width(pieces) != len(covered(pieces)) or width(pieces) > 64:
                    raise Fault("field %s: bits %s" % (name, n.get("bits")))
                self.known("field", name)
                self.add("fields", gens_of(n), name, (pieces, int(n.get("shift", 0))))

    def load_opcodes(self, tree):
        for n in tree.iter("op"):
            takes = n.get("takes", "").split()
            if n.get("form") not in FORMS or set(takes) - set(TAKES):
                raise Fault("op %s: form %s, takes %s" % (n.get("name"), n.get("form"), takes))
            name = self.known("opcode", n.get("name"))
            sources = int(n.get("sources", 3 if n.get("form") == "three" else 0))
            self.add("ops", gens_of(n), int(n.get("code")), (name, n.get("form"), sources, takes))
        for kind in ("math", "sync"):
            for n in tree.iter(kind):
                self.known(kind, n.get("name"))
                self.add(kind, gens_of(n), int(n.get("code")), (n.get("name"), int(n.get("sources", 1)), n.get("macro")))
        for kind in ("condition", "predicate", "predicate16"):
            for n in tree.iter(kind):
                self.add(kind, gens_of(n), int(n.get("code")), n.get("name"))

    def load_codes(self, tree):
        known = {name for name, _, _ in self.types}
        for n in tree.iter("code"):
            for code, name in enumerate(n.get("types").split()):
                if name == "-":
                    continue
                if name not in known:
                    raise Fault("no type %s" % name)
                self.add("types", gens_of(n), (USES.index(n.get("use")), code), name)

    def load_registers(self, tree):
        for n in tree.iter("register"):
            self.known("register", n.get("name"))
            row = tuple(int(n.get(key, 0)) for key in ("code", "first", "count", "size"))
            self.add("registers", gens_of(n), n.get("name"), row)

    def load_compaction(self, tree):
        for n in tree.iter("compaction"):
            steps = [Step(s) for s in n]
            if any(s.kind in ("signed", "typed") for s in steps[:-1]):
                raise Fault("compaction of gen %s: the immediate is not the last step" % n.get("gens"))
            for left_out in ("immediate", "register"):
                seen = set()
                for step in steps:
                    if step.when == left_out:
                        continue
                    if step.kind in ("signed", "typed"):
                        continue
                    if seen & covered(step.to):
                        raise Fault("compaction of gen %s: %s writes bits again" % (n.get("gens"), step.name))
                    seen |= covered(step.to)
            self.add("compaction", gens_of(n), n.get("form"), steps)

    def load_messages(self, tree):
        for t in tree.iter("target"):
            messages = []
            for n in t.iter("message"):
                where, _, value = n.get("match").partition("=")
                (start, w), = bits(where)
                fields = [f.partition("=")[::2] for f in n.get("fields").split()]
                self.known("message", n.get("name"))
                for name, _ in fields:
                    self.known("message_field", name)
                mask = ((1 << w) - 1) << start
                if int(value) << start & ~mask:
                    raise Fault("message %s: %s" % (n.get("name"), n.get("match")))
                messages.append((n.get("name"), mask, int(value) << start, [(f, bits(b)[0]) for f, b in fields], gens_of(n)))
            self.known("target", t.get("name"))
            for g in gens_of(t):
                self.add("targets", [g], int(t.get("code")), (t.get("name"), [m for m in messages if g in m[4]], t.get("asm")))
