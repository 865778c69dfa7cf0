# SPDX-License-Identifier: MIT
"""
DOC: Corrections of the manuals' tables, and what comes from elsewhere

overrides/genN.xml holds <fix reason source> elements, each with one or more operations below it. An operation that finds
nothing to change is an error: the list never outlives what it corrects.

  length    command, dwords [min max]     the length constant is not the text's
  bias      command, value
  takes     command, dwords               engines execute this form, which is shorter than the manual's shortest
  engine    command, value
  rename    command, field, to
  set       command, field (or bits "hi:lo"), any of start end type default values unit name
  remove    command, field (or bits)
  add       command; holds fields and groups
  body      command                       opaque dwords become the fields that the facts have there
  merge     command                       the facts' fields in bits that the text leaves open or has as opaque
  reserve   command                       holes become reserved fields, unchecked
  opcode    command, match, mask          the header as given, when the text's fields do not tell
  tail      command, start, size          the fields from this bit repeat to the end of the command
  facts     file items section            whole commands, by name or pattern; the volume that has them
  structs   file items                    whole structures
  derive    from items except shrink      commands of another generation's database
  define    holds instructions and structs
  drop      command                       the generation does not have it
  opaque    name header engine bits       a command whose opcode is known and layout is not; bits of its length

Before the conversion: <alias format struct/> says what a Format in the text stands for.
"""
import re
import xml.etree.ElementTree as ET

from .convert import settle_length, unique
from .model import Command, Field, Group, number, read_command, read_items


class OverrideError(Exception):
    pass


def bits_of(i):
    return (i.start, i.end) if isinstance(i, Field) else (i.start, i.start + i.size * max(i.count, 1) - 1)


def opaque(i):
    return isinstance(i, Group) and i.items and i.items[0].name.startswith("Opaque")


def shift_addresses(c):
    """The command as it was when addresses had 32 bits: the upper halves go, what follows moves up."""
    cuts = sorted(i.end // 32 for i in c.items if isinstance(i, Field) and i.type == "address" and i.width > 32)
    if not cuts:
        return

    def moved(bit):
        return bit - 32 * sum(1 for dw in cuts if bit // 32 > dw)
    items = []
    for i in c.items:
        if isinstance(i, Field):
            if i.start // 32 in cuts:
                continue
            if i.end // 32 in cuts:
                i.end = i.start // 32 * 32 + 31
            width = i.width
            i.start = moved(i.start)
            i.end = i.start + width - 1
        else:
            i.start = moved(i.start)
        items.append(i)
    c.items = items
    c.length = None if c.length is None else c.length - len(cuts)
    c.min = None if c.min is None else c.min - len(cuts)
    c.max = None if c.max is None else c.max - len(cuts)
    length = c.length_field()
    if length is not None and length.default is not None:
        length.default -= len(cuts)


class Overrides:
    def __init__(self, path, db, facts, others):
        """facts: file name to Facts; others: generation to Database that was made before."""
        self.root, self.db, self.facts, self.others = ET.parse(path).getroot(), db, facts, others
        self.count, self.added = 0, 0

    def aliases(self):
        return {a.get("format"): a.get("struct") for a in self.root.iter("alias")}

    def commands(self, op):
        """The commands an operation names: one, or several by a pattern."""
        name = op.get("command")
        pool = self.db.structs if op.get("kind") == "struct" else self.db.instructions
        found = [c for n, c in pool.items() if re.fullmatch(name, n)]
        if not found:
            raise OverrideError("%s: no %s" % (op.tag, name))
        return found

    def find(self, c, op):
        if op.get("bits"):
            hi, lo = (int(x) for x in op.get("bits").split(":"))
            found = [i for i in c.items if bits_of(i) == (lo, hi)]
        else:
            inner = [f for i in c.items if isinstance(i, Group) for f in i.items if isinstance(f, Field)]
            found = [i for i in c.items + inner if isinstance(i, Field) and i.name == op.get("field")]
        if not found:
            raise OverrideError("%s: %s has no %s" % (op.tag, c.name, op.get("bits") or op.get("field")))
        return found[0]

    def apply(self):
        for fix in self.root.iter("fix"):
            if not fix.get("reason") or not fix.get("source"):
                raise OverrideError("a fix without reason or source")
            for op in fix:
                if op.tag == "alias":
                    continue
                handler = getattr(self, "op_" + op.tag, None)
                if handler is None:
                    raise OverrideError("unknown operation " + op.tag)
                handler(op, fix.get("source"))

    def each(self, op):
        for c in self.commands(op):
            self.count += 1
            yield c

    def op_length(self, op, _):
        for c in self.each(op):
            dwords, length = number(op.get("dwords")), c.length_field()
            before = (c.length, c.min, c.max)
            c.length = dwords
            if length is not None:
                length.default, length.corrected = dwords - c.bias, True
            settle_length(c)
            c.min, c.max = number(op.get("min")) or c.min, number(op.get("max")) or c.max
            if c.tail() is not None:
                c.min, c.length = dwords, None
            if before == (c.length, c.min, c.max):
                raise OverrideError("length: %s has %d already" % (c.name, dwords))

    def op_bias(self, op, _):
        for c in self.each(op):
            c.bias = number(op.get("value"))
            if c.length is not None and c.length_field() is not None:
                c.length = c.length_field().default + c.bias
                settle_length(c)

    def op_takes(self, op, _):
        for c in self.each(op):
            if number(op.get("dwords")) >= c.shortest():
                raise OverrideError("takes: %s has no more than %d dwords already" % (c.name, c.shortest()))
            c.takes = number(op.get("dwords"))

    def op_engine(self, op, _):
        for c in self.each(op):
            c.engines = tuple(op.get("value").split("|"))

    def op_rename(self, op, _):
        for c in self.each(op):
            f = self.find(c, op)
            f.name, f.corrected = op.get("to"), True

    def op_set(self, op, _):
        for c in self.each(op):
            i = self.find(c, op)
            f = Field(op.get("name") or i.name if isinstance(i, Field) else op.get("name"), *bits_of(i)) \
                if isinstance(i, Group) else i
            for key in ("start", "end", "default"):
                if op.get(key) is not None:
                    setattr(f, key, number(op.get(key)))
            for key in ("type", "unit", "name"):
                if op.get(key) is not None:
                    setattr(f, key, op.get(key))
            if len(op):
                f.values = [(v.get("name"), number(v.get("value"))) for v in op]
            f.corrected = True
            if i in c.items:
                c.items[c.items.index(i)] = f

    def op_remove(self, op, _):
        for c in self.each(op):
            c.items.remove(self.find(c, op))

    def op_add(self, op, _):
        for c in self.each(op):
            for i in read_items(op):
                if isinstance(i, Field):
                    i.corrected = True
                c.items.append(i)
            if c.length is not None:
                settle_length(c)

    def op_reserve(self, op, _):
        for c in self.each(op):
            seen = 0
            for f, bit, _ in c.fields():
                seen |= ((1 << f.width) - 1) << bit
            # A tail's element repeats beyond the extent.
            bit, last = 0, (c.length or c.extent()) * 32
            while bit < last:
                if seen >> bit & 1:
                    bit += 1
                    continue
                end = bit
                while end + 1 < last and (end + 1) % 32 and not seen >> (end + 1) & 1:
                    end += 1
                c.items.append(Field("Reserved", bit, end, "uint", corrected=True))
                bit = end + 1

    def op_opcode(self, op, _):
        for c in self.each(op):
            match, mask = number(op.get("match")), number(op.get("mask"))
            for i in c.items:
                if isinstance(i, Field) and i.end < 32 and i.name != "DWord Length":
                    part = mask >> i.start & ((1 << i.width) - 1)
                    i.opcode = part == (1 << i.width) - 1
                    if i.opcode:
                        i.default, i.type = match >> i.start & part, "uint"
            if c.opcode() != (match, mask):
                raise OverrideError("opcode: %s has %x/%x" % ((c.name,) + c.opcode()))

    def op_tail(self, op, _):
        """What stands at this bit, repeated: a first element as fields, more of them as a group."""
        for c in self.each(op):
            start, size = number(op.get("start")), number(op.get("size"))
            inside = [i.copy() for i in c.items if isinstance(i, Field) and start <= i.start < start + size]
            for i in inside:
                i.start, i.end = i.start - start, i.end - start
                if not i.reserved:
                    i.name = "More " + i.name
            c.items.append(Group(start + size, size, 0, inside))
            c.min, c.max, c.length = (start + size) // 32, None, None

    def body(self, c, facts, source, only_opaque):
        """Fields of the facts in what is opaque or, with only_opaque false, in any bit not described."""
        have = facts.command(facts.alias(c.name))
        facts.need(self.db, have.items)
        room = 0
        for i in c.items:
            if opaque(i):
                lo, hi = bits_of(i)
                room |= ((1 << (hi - lo + 1)) - 1) << lo
        c.items = [i for i in c.items if not opaque(i)]
        if not only_opaque:
            seen = 0
            for f, bit, _ in c.fields():
                seen |= ((1 << f.width) - 1) << bit
            room |= ~seen & ((1 << have.extent() * 32) - 1)
        taken = 0
        for i in have.items:
            lo, hi = bits_of(i)
            mask = ((1 << (hi - lo + 1)) - 1) << lo
            if mask & room == mask:
                c.items.append(i.copy())
                taken += 1
        if not taken:
            raise OverrideError("body: nothing for " + c.name)
        c.source = source
        unique(c.items)

    def op_body(self, op, source):
        for c in self.each(op):
            self.body(c, self.facts[op.get("file")], source, True)

    def op_merge(self, op, source):
        for c in self.each(op):
            self.body(c, self.facts[op.get("file")], source, False)

    def op_facts(self, op, source):
        facts, n = self.facts[op.get("file")], 0
        for name in facts.names("instruction"):
            if re.fullmatch(op.get("items"), name) and name not in self.db.instructions:
                c = facts.take(self.db, name)
                c.source, c.section = source, "%s, %s" % (op.get("section"), c.command or name)
                unique(c.items)
                field = c.length_field()
                if field is not None and field.default is None and (c.length or 0) > c.bias:
                    field.default = c.length - c.bias
                if field is not None and field.default is None and c.tail() is None:
                    # No length is given at all: any that the header can say.
                    field.default, c.length, c.min = max(c.extent(), c.bias) - c.bias, None, c.bias
                elif c.length is None:
                    length = c.length_field()
                    c.min = c.extent() if length is None or length.default is None else length.default + c.bias
                elif c.length != c.extent() and c.tail() is None:
                    settle_length(c)
                    if c.extent() < c.length:
                        c.min = c.max = None
                n += 1
        if not n:
            raise OverrideError("facts: nothing named " + op.get("items"))
        self.added += n

    def op_structs(self, op, source):
        facts, n = self.facts[op.get("file")], 0
        for name in facts.names("struct"):
            if re.fullmatch(op.get("items"), name):
                facts.take_struct(self.db, name)
                self.db.structs[name].source = source
                n += 1
        if not n:
            raise OverrideError("structs: nothing named " + op.get("items"))

    def op_derive(self, op, source):
        n = 0
        for name, base in self.others[op.get("from")].instructions.items():
            if not re.fullmatch(op.get("items"), name) or name in self.db.instructions:
                continue
            if op.get("except") and re.fullmatch(op.get("except"), name):
                continue
            c = base.copy()
            c.entries = 1
            if op.get("shrink") == "true":
                shift_addresses(c)
            c.source = source
            self.db.add(c)
            n += 1
        if not n:
            raise OverrideError("derive: nothing named " + op.get("items"))
        self.added += n

    def op_define(self, op, source):
        for n in op:
            c = read_command(n)
            c.source = c.source or source
            if not c.struct:
                for i in c.items:
                    if isinstance(i, Field) and i.start < 32 and i.default is not None and \
                       i.name != "DWord Length":
                        i.opcode = True
            self.db.add(c)
            self.added += 1

    def op_opaque(self, op, source):
        header, bits = number(op.get("header")), int(op.get("bits"))
        items = [Field("DWord Length", 0, bits - 1, "uint", 0),
                 Field("Opcode", 16, 28, "uint", header >> 16 & 0x1fff, opcode=True),
                 Field("Command Type", 29, 31, "uint", header >> 29, opcode=True),
                 Group(32, 32, 0, [Field("Opaque Data", 0, 31)])]
        if header >> 29 == 2:
            items[1] = Field("Opcode", 22, 28, "uint", header >> 22 & 0x7f, opcode=True)
        c = Command(op.get("name"), items, 2, None, tuple(op.get("engine").split("|")), source=source,
                    section=op.get("section"), min=2)
        self.db.add(c)
        self.added += 1

    def op_drop(self, op, _):
        for c in self.each(op):
            del (self.db.structs if c.struct else self.db.instructions)[c.name]
