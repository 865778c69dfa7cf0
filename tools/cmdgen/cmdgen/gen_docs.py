# SPDX-License-Identifier: MIT
"""
DOC: Reference pages in reStructuredText: one table a command

The page of a group of a generation's commands; rows are fields from the highest bit down, as manuals print them.
"""
from .flatten import leaves, tail_leaves
from .gen_pack import group_of
from .model import GEN_ENGINES, struct_order

KINDS = {"address": "address", "length": "dwords less the bias", "opcode": "opcode", "mbz": "must be zero",
         "mbo": "must be one", "reserved": "reserved"}


def bits(start, width):
    dw, low = divmod(start, 32)
    last, high = divmod(start + width - 1, 32)
    span = "%d:%d" % (high, low) if high != low or dw != last else str(low)
    return ("%d" % dw, span) if dw == last else ("%d-%d" % (dw, last), "%d:%d" % (high + 32 * (last - dw), low))


def escape(text):
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|").replace("`", "\\`").replace("_", "\\_")


def describe(leaf):
    parts = []
    if leaf.kind in KINDS:
        parts.append(KINDS[leaf.kind])
    elif leaf.kind in ("fixed", "sfixed", "int", "bool", "float"):
        parts.append(leaf.field.type)
    if leaf.kind == "opcode":
        parts.append("0x%x" % leaf.field.default)
    if leaf.field.unit == "minus-one":
        parts.append("one less than the number")
    if leaf.count > 1:
        parts.append("%d, one every %d bits" % (leaf.count, leaf.stride))
    if leaf.field.exists:
        parts.append("if " + leaf.field.exists)
    if leaf.values:
        parts.append(", ".join("%d %s" % (v, n) for n, v in leaf.values))
    if leaf.field.corrected:
        parts.append("(corrected)")
    return escape("; ".join(parts))


def table(found, base=0):
    out = [".. list-table::", "   :header-rows: 1", "   :widths: 8 8 34 50", "", "   * - DWord", "     - Bits",
           "     - Field", "     - Format"]
    for leaf in sorted(found, key=lambda x: (x.start // 32, -(x.start + x.width))):
        dw, span = bits(leaf.start + base, leaf.width)
        out += ["   * - " + dw, "     - " + span, "     - " + escape(leaf.name), "     - " + (describe(leaf) or "number")]
    return out + [""]


def command(db, c):
    out = [escape(c.name), "~" * len(escape(c.name)), ""]
    out.append("From: %s." % escape("; ".join(x for x in (c.section, c.source) if x)))
    if not c.struct:
        match, mask = c.opcode()
        engines = "all" if c.engines == GEN_ENGINES[db.gen] else ", ".join(c.engines)
        length = str(c.length) if c.length and c.min is None and c.max is None else \
            "%s to %s" % (c.min or c.extent(), c.max or "any number")
        out.append("Header 0x%08x under 0x%08x; %s dwords; engines: %s." % (match, mask, length, engines))
    out.append("")
    out += table(leaves(db, c))
    tail = tail_leaves(db, c)
    if tail:
        out += ["Repeated to the end:", ""] + table(tail[1], c.extent() * 32)
    return out


def pages(db):
    """(file name, text) of each page, and an index of them."""
    groups = {"state": struct_order(db)}
    for c in sorted(db.instructions.values(), key=lambda c: c.name):
        groups.setdefault(group_of(c), []).append(c)
    for name, commands in sorted(groups.items()):
        title = "%s (%s): %s" % (db.tag.capitalize(), db.name, name)
        out = [".. SPDX-License-Identifier: MIT", "", title, "=" * len(title), ""]
        for c in commands:
            out += command(db, c)
        yield "%s_%s.rst" % (db.tag, name), "\n".join(out) + "\n"
