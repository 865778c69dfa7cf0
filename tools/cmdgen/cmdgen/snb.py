# SPDX-License-Identifier: MIT
"""
DOC: Reader of the Sandy Bridge media volume (SNB Vol 2 Part 2)

Its text keeps the table's columns: dword, bits and description stand between tabs, a description may be HTML.
A dword's number is given on its first row only; a table goes on after a page's break with the command's name, or
"DWord Bit Description", on a line of its own. Value tables inside follow the same tabs but their first column
is a value, not empty, and their second is no bit range.
"""
import re
from html import unescape

from .bspec import Entry, Row

RANGE = re.compile(r"^(\d+)(?::(\d+))?$")
DWORDS = re.compile(r"^(\d+)(?:\.\.\.?(\d+|N))?$")
TAG = re.compile(r"<[^>]+>")
FORMAT = re.compile(r"Format\s*[:=]\s*([^\s,;]+(?:\s*/\s*FALSE)?)")
DEFAULT = re.compile(r"Default Value:\s*([0-9A-Fa-fx]+h?)")
SPLIT = re.compile(r"(?:Project:|Format|Address:|Surface Type:|Range|Default Value:|This |Specifies |Each |\. |: | = |</p>)")


def plain(text):
    """A description's HTML as text."""
    return re.sub(r"\s+", " ", unescape(TAG.sub(" ", text))).strip()


def title(text):
    """The field's name: what stands before the first sentence or attribute."""
    head = text.split("</p>")[0]
    head = plain(head) or plain(text)
    head = re.sub(r"^\[Dev\w+\]\s*", "", head)
    head = SPLIT.split(head)[0].strip(" .:=")
    return head or plain(text)[:40]


def attributes(text):
    flat, attr = plain(text), {}
    m = FORMAT.search(flat)
    if m:
        attr["Format"] = m.group(1).rstrip(".")
    elif re.match(r"^Reserved\s*[.:]?\s*MBZ", flat):
        attr["Format"] = "MBZ"
    m = DEFAULT.search(flat)
    if m:
        attr["Default Value"] = m.group(1)
    return attr


class TabTable:
    """Rows of one command's table, and what did not fit."""

    def __init__(self, lines, struct=False):
        self.rows, self.issues = [], []
        dws = None
        for number, line in lines:
            cells = line.split("\t")
            if len(cells) < 2:
                continue
            m = RANGE.match(cells[0])
            if m and self.rows and int(m.group(1)) == self.rows[-1].lo - 1 and not RANGE.match(cells[1]):
                # After a page's break the empty first column is sometimes lost.
                cells.insert(0, "")
            first, bits = DWORDS.match(cells[0].strip()), RANGE.match(cells[1].strip())
            if not bits or len(cells) < 3 or not cells[2].strip():
                continue
            if first:
                last = first.group(2)
                want = 0 if dws is None else dws[1] + 1
                dw = int(first.group(1))
                if dw != want:
                    self.issues.append("dword %d where %d belongs (line %d)" % (dw, want, number))
                    dw = want
                dws = (dw, dw if last is None else None if last == "N" else int(last))
            elif cells[0].strip() or dws is None:
                continue
            hi = int(bits.group(1))
            lo = int(bits.group(2)) if bits.group(2) else hi
            if any(r.dw0 == dws[0] and r.hi == hi and r.lo == lo for r in self.rows):
                self.issues.append("dword %d bits %d:%d twice (line %d)" % (dws[0], hi, lo, number))
                continue
            row = Row(dws, hi, lo, title(cells[2]), number)
            row.attr = attributes(" ".join(cells[2:]))
            if not struct:
                self.opcode(row, cells[2])
            self.rows.append(row)

    def opcode(self, row, text):
        """The opcode rows come as "Command Type = GFXPIPE = 3h" and as one row of 28:16 with its parts named."""
        flat = plain(text)
        if row.dw0 != 0:
            return
        if (row.hi, row.lo) == (28, 16):
            parts = re.search(r"= (\d)h; Opcode\[26:24\] = (\d+)h; Subopcode\[23:16\] = (\d+)h", flat)
            value = int(parts.group(1), 16) << 11 | int(parts.group(2), 16) << 8 | int(parts.group(3), 16)
            row.name = "Media Command Opcode"
            row.attr.update({"Format": "OpCode", "Default Value": "%xh" % value})
        elif row.lo >= 16:
            m = re.search(r"= (\d+)h$", flat)
            if m:
                row.attr["Default Value"] = m.group(1) + "h"
            row.attr["Format"] = "OpCode"
        elif row.lo == 0:
            row.name = "DWord Length"
            m = re.search(r"= ([0-9A-F]+)h$", flat)
            if m:
                row.attr["Default Value"] = m.group(1) + "h"
            row.attr["Format"] = "=n"


def read_sections(path, wanted):
    """Commands and structures by section: wanted is a list of (section number, name)."""
    with open(path, encoding="utf-8", errors="replace") as f:
        lines = list(enumerate(f.read().split("\n"), 1))
    out = []
    for number, name in wanted:
        begin = [i for i, (_, t) in enumerate(lines) if t.startswith(number + " ") and "..." not in t][-1]
        end = begin + 1
        while end < len(lines) and not re.match(r"^1\.\d+(\.\d+)* [A-Z]", lines[end][1]):
            end += 1
        out.append(Entry(name, ["RenderCS"], 2, TabTable(lines[begin + 1:end], name.endswith("_DATA")), begin + 1))
    return out
