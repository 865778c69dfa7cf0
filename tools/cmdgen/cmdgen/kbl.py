# SPDX-License-Identifier: MIT
"""
DOC: The register state of Kaby Lake's logical contexts (KBL Vol 3, "Register/State Context")

The volume gives it as rows "description, MMIO offset or command, unit, dwords, first dword". It is a batch of
MI_LOAD_REGISTER_IMM commands: a row of two dwords is a register's offset and its value. The power context's
tables look alike but have a sixth column, by which they are left out; so has this volume no image of the
render engine.
"""
import re

from .model import Command, Field, Group

ROW = re.compile(r"^(\S.*?)\s+(0x[0-9A-Fa-f_]+)?\s*(VCS|BCS|VECS)\s+(\d+)\s+([0-9A-F]{1,4})$")


def name_of(text):
    return re.sub(r"\s+", " ", text).strip()


def read_context_images(path):
    """One structure for each engine that the volume has an image of."""
    rows = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = ROW.match(line.rstrip())
            if m:
                rows.setdefault(m.group(3), []).append(m)
    return [image(unit, found) for unit, found in sorted(rows.items())]


def image(unit, rows):
    items, seen, at = [], {}, 0
    for m in rows:
        dw, count = int(m.group(5), 16), int(m.group(4))
        if dw < at:
            raise ValueError("%s image: dword %x after %x" % (unit, dw, at))
        at = dw + count
        value = int(m.group(2).replace("_", ""), 16) if m.group(2) else None
        label = name_of(m.group(1))
        seen[label] = seen.get(label, 0) + 1
        if label == "NOOP":
            if count == 1:
                items.append(Field("Reserved", dw * 32, dw * 32 + 31, "mbz"))
            else:
                items.append(Group(dw * 32, 32, count, [Field("Reserved", 0, 31, "mbz")]))
            continue
        if seen[label] > 1:
            label += " %d" % seen[label]
        if count == 1:
            items.append(Field(label, dw * 32, dw * 32 + 31, "uint", value))
        elif count == 2:
            items.append(Field(label + " Offset", dw * 32, dw * 32 + 31, "uint", value))
            items.append(Field(label + " Value", dw * 32 + 32, dw * 32 + 63))
        else:
            items.append(Group(dw * 32, 64, count // 2, [Field(label + " Offset", 0, 31),
                                                         Field(label + " Value", 32, 63)]))
    return Command("%s_REGISTER_STATE" % unit, items, length=at, struct=True,
                   section="KBL Vol 3, Register/State Context")
