# SPDX-License-Identifier: MIT
"""
DOC: Decode tables in C from the database

See runtime/igen_cmd.h. Named values and field lists that are alike are emitted once.
"""
from .flatten import leaves, tail_leaves
from .model import ENGINES, struct_order


KINDS = {"uint": "UINT", "int": "INT", "bool": "BOOL", "address": "ADDRESS", "fixed": "FIXED", "sfixed": "SFIXED",
         "float": "FLOAT", "length": "LENGTH", "opcode": "OPCODE", "reserved": "RESERVED", "mbz": "MBZ", "mbo": "MBO"}


def quote(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


class Tables:
    def __init__(self, db, states):
        self.db, self.states = db, states
        self.out, self.values, self.fields, self.masks, self.merges = [], {}, {}, {}, {}

    def value_list(self, values):
        key = tuple(values)
        if key not in self.values:
            name = "values_%d" % len(self.values)
            self.values[key] = name
            self.out.append("static const struct igen_cmd_value %s[] = {" % name)
            for text, v in values:
                self.out.append("\t{ %du, %s }," % (v, quote(text)))
            self.out.append("};")
        return self.values[key]

    def field_list(self, found):
        rows = []
        for leaf in found:
            values = self.value_list(leaf.values) if leaf.values else "0"
            low = leaf.start % 32 if leaf.kind == "address" else 0
            rows.append("\t{ %s, %s, %d, %d, %d, %d, %d, IGEN_FIELD_%s, %d, %d, %s }," %
                        (quote(leaf.name), values, leaf.start, leaf.width, leaf.count, leaf.stride,
                         len(leaf.values), KINDS[leaf.kind], leaf.frac, low, "true" if leaf.field.sep else "false"))
        key = tuple(rows)
        if not rows:
            return "0"
        if key not in self.fields:
            name = "fields_%d" % len(self.fields)
            self.fields[key] = name
            self.out += ["static const struct igen_cmd_field %s[] = {" % name] + rows + ["};"]
        return self.fields[key]

    def reserved(self, found, extent):
        """Of each dword the bits that must be zero or one, then of each dword those that must be one; not what alternatives share."""
        bits = {"mbz": 0, "mbo": 0}
        for leaf in found:
            if leaf.kind in bits and not leaf.field.sep:
                for n in range(leaf.count):
                    bits[leaf.kind] |= ((1 << leaf.width) - 1) << leaf.start + n * leaf.stride
        key = tuple(of >> 32 * dw & 0xffffffff for of in (bits["mbz"] | bits["mbo"], bits["mbo"]) for dw in range(extent))
        if key not in self.masks:
            name = "reserved_%d" % len(self.masks)
            self.masks[key] = name
            self.out.append("static const __u32 %s[] = { %s };" % (name, ", ".join("0x%x" % v for v in key)))
        return self.masks[key]

    def merge_list(self, c):
        """(name, number of rows)"""
        key = () if c.struct else tuple(self.states.merges(self.db, c))
        if key and key not in self.merges:
            name = "merges_%d" % len(self.merges)
            self.merges[key] = name
            self.out += ["static const struct igen_cmd_merge %s[] = {" % name] + ["\t{ %d, %d, %d }," % m for m in key] + ["};"]
        return self.merges.get(key, "0"), len(key)

    def row(self, c):
        found, tail = leaves(self.db, c), tail_leaves(self.db, c)
        match, mask = (0, 0) if c.struct else c.opcode()
        if mask & 0xffff:
            raise ValueError("%s: the opcode goes below bit 16" % c.name)
        engines = sum(1 << ENGINES.index(e) for e in c.engines)
        length = c.length_field()
        low = c.min or (c.length if c.tail() is None else c.extent()) or c.extent()
        high = 0 if c.length is None and c.max is None else c.max or c.length
        state = "NONE" if c.struct else self.states.kind(c)
        key = (None if c.struct else self.states.key(self.db, c)) or (0, 0, 0)
        return ("\t{ %s, %s, %s, %s, %s, %s, 0x%08xu, 0x%08xu, %d, %d, %d, %d, %d, %d, %d, %d, 0x%x, %d, %d, "
                "IGEN_STATE_%s, %d, %d, %d, %s, %d }," %
                ((quote(c.command or c.name), quote(c.name),
                 quote("; ".join(x for x in (c.section, c.source) if x)),
                 self.field_list(found), self.field_list(tail[1]) if tail else "0",
                 self.reserved(found, c.extent()), match, mask, len(found),
                 len(tail[1]) if tail else 0, tail[0] // 32 if tail else 0, c.length or low, low, high,
                 low if c.struct else c.shortest(), c.extent(), engines,
                 length.width if length is not None else 0, c.bias or 0, state) + key + self.merge_list(c)))

    def text(self):
        db = self.db
        cmds = [self.row(c) for c in sorted(db.instructions.values(), key=lambda c: c.name)]
        structs = [self.row(c) for c in struct_order(db)]
        head = ["// SPDX-License-Identifier: MIT",
                "/* %s: made by tools/cmdgen from xml/%s.xml; change that. */" % (db.name, db.tag),
                '#include "igen_cmd.h"', ""]
        tail = ["static const struct igen_cmd cmds[] = {"] + cmds + ["};", "",
                "static const struct igen_cmd structs[] = {"] + structs + ["};", "",
                "const struct igen_cmd_set igen_cmds_%s = {" % db.tag,
                "\t%s, %s, cmds, %d, structs, %d" % (quote(db.name), db.gen, len(cmds), len(structs)), "};"]
        return "\n".join(head + self.out + [""] + tail) + "\n"
