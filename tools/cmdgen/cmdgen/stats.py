# SPDX-License-Identifier: MIT
"""Figures of the database: commands by generation and engine, coverage, corrections."""
import os
import xml.etree.ElementTree as ET

from .model import ENGINES, Field


def corrections(here, gen):
    """(operations, commands taken from elsewhere by one operation count once)."""
    root = ET.parse(os.path.join(here, "overrides", "gen%s.xml" % gen)).getroot()
    elsewhere = ("facts", "structs", "derive", "define", "alias")
    return sum(1 for fix in root.iter("fix") for op in fix if op.tag not in elsewhere)


def covered(c):
    """No opaque body; and where the manual gives the whole layout, every bit in a field."""
    tail = c.tail().items if c.tail() is not None else []
    names = [f.name for f, _, _ in c.fields()] + [f.name for f in tail if isinstance(f, Field)]
    return not any(n.startswith("Opaque") for n in names) and (c.source is not None or c.full())


def report(databases, here, rules):
    for db in databases:
        cmds = list(db.instructions.values())
        own = [c for c in cmds if not c.source]
        per = ", ".join("%s %d" % (e, sum(e in c.engines for c in cmds)) for e in ENGINES
                        if any(e in c.engines for c in cmds))
        fields = sum(1 for c in cmds for _ in c.fields())
        yield "%s: %d commands (%d entries of the manual, %d from public facts), %d structures, %d fields" % (
            db.tag, len(cmds), sum(c.entries for c in own) + (sum(c.entries for c in cmds if c.source)
                                                              if db.gen == "12" else 0),
            len(cmds) - len(own), len(db.structs), fields)
        yield "%s: by engine: %s" % (db.tag, per)
        yield "%s: full field coverage %.1f %%, corrections %d" % (
            db.tag, 100.0 * sum(covered(c) for c in cmds) / len(cmds), corrections(here, db.gen))
        left = sorted(c.name for c in cmds if not covered(c))
        if left:
            yield "%s: not laid out to the last bit: %s" % (db.tag, ", ".join(left))
    yield "validator: %d rules (%s), and 6 from the tables" % (
        len(rules.ids()), ", ".join("%s %d" % (db.tag, len(rules.ids(db.gen))) for db in databases))
