# SPDX-License-Identifier: MIT
"""
DOC: From the rows of a manual's table to a command of the database

A row's Format gives the type: U8, S7, U4.8, Enable, OpCode, MBZ, an address with the bits that the field holds
(GraphicsAddress[47:12]), or a structure's name, perhaps an array of it. An address whose upper half has a row
of its own becomes one field. What is wider than 64 bits is an array; a body whose layout another volume has
becomes an array of dwords whose name begins with "Opaque", to be replaced by the overrides or counted as missing.
"""
import re

from .bspec import value_rows
from .model import ENGINES, Command, Field, Group

SOURCES = {"RenderCS": "render", "BlitterCS": "blitter", "VideoCS": "video", "VideoEnhancementCS": "videoenhance",
           "ComputeCS": "compute", "PositionCS": "position"}
ADDRESS = re.compile(r"^(?:GraphicsAddress|VIRTUAL_ADDR)\[(\d+):(\d+)\]")
OFFSET = re.compile(r"^\w*?(?:Offset|MmioAddress|MMIOAddress|BaseAddress)\[(\d+):(\d+)\]")
SPLIT = re.compile(r"^(?:Split)?BaseAddress(64|4K)ByteAligned(?:\[(\d+)\])?$")
ARRAY = re.compile(r"^([A-Za-z0-9_ ]+)\[(\d+)\]$")
STOP = {"This", "If", "The", "In", "When", "Specifies", "Indicates", "Command", "These", "Use", "Used", "Only", "Note",
        "Hardware", "HW", "Software", "SW", "It", "A", "An", "For", "All", "See", "Will", "Can", "Cannot", "Allows"}


def number(text):
    """A number as the manual writes it: 1Ch, 0x1C, 010b, 28; None if there is none."""
    m = re.match(r"^\s*(?:(0x[0-9A-Fa-f]+)|([0-9A-Fa-f]+)h|([01]+)b|(\d+))(?![0-9A-Za-z])", text or "")
    if not m:
        m = re.match(r"^\s*([0-9A-F]*[A-F][0-9A-F]*)(?![0-9A-Za-z_])", text or "")
        return int(m.group(1), 16) if m else None
    if m.group(1):
        return int(m.group(1), 16)
    if m.group(2):
        return int(m.group(2), 16)
    return int(m.group(3), 2) if m.group(3) else int(m.group(4))


def tidy(name):
    name = re.sub(r"\s+", " ", name).strip(" .:")
    return name if len(name) <= 72 else name[:72].rsplit(" ", 1)[0]


def value_name(text, described):
    """The Name column; where a Description column follows, the words before it seems to begin."""
    text = re.sub(r"\s*\[(?:Default)?\]\s*|\s*\(Default\)\s*", " ", text).strip()
    words, out = text.split(), []
    if words and (words[0] in STOP or (described and re.match(r"^(Enabled?|Disabled?|RESERVED)$", words[0]))):
        return "" if words[0] in STOP else words[0]
    if described and len(words) > 1 and re.match(r"^[A-Z][A-Z0-9_]{3,}$", words[0]):
        return words[0]
    for i, w in enumerate(words):
        if described and i and w.lower() == words[0].lower():
            break
        if described and i and (w.strip(",.") in STOP or w.startswith(("(", "["))):
            break
        if described and i and re.match(r"^[A-Z0-9]+_[A-Z0-9_]+$", words[0]):
            break
        if len(out) == 6:
            break
        out.append(w)
    return tidy(" ".join(out))


def values(row, width):
    """The value table as (name, value) pairs; ranges and don't-care patterns are no values."""
    out, seen = [], set()
    for text, name in value_rows(row.values):
        v = number(text) if re.match(r"^[0-9A-Fa-fx]+[hb]?$", text) else None
        name = value_name(name, row.described)
        if v is None or v >= 1 << width or v in seen or not name or name.lower() == "reserved":
            continue
        seen.add(v)
        out.append((name, v))
    return out


def default(row, fmt):
    v = number(row.attr.get("Default Value"))
    if v is None and row.values is not None:
        rows = value_rows(row.values)
        marked = [t for t, name in rows if "Default" in name]
        opcode = fmt.lower().startswith("opcode")
        length = row.lo == 0 and row.dw0 == 0 and row.name.lower().startswith("dword")
        if marked or ((opcode or length) and rows):
            v = number(marked[0] if marked else rows[0][0])
    return v


class Converter:
    def __init__(self, db, section, aliases=None):
        self.db, self.section, self.aliases = db, section, aliases or {}

    def basic(self, fmt, row):
        """(type, unit) of a format that is not a structure's name."""
        width, low = row.hi - row.lo + 1, row.lo % 32
        head = fmt.split()[0] if fmt else ""
        if head in ("MBZ", "MBO"):
            return head.lower(), None
        if head in ("Enable", "Disable", "Boolean", "TRUE", "TRUE/FALSE", "Enabled"):
            return ("bool" if width == 1 else "uint"), None
        for rx, type_ in ((ADDRESS, "address"), (OFFSET, "offset")):
            m = rx.match(fmt)
            if m:
                return (type_ if int(m.group(2)) % 32 == low else "uint"), None
        m = re.match(r"^([US])(\d+)\.(\d+)$", head)
        if m:
            bits = int(m.group(2)) + int(m.group(3)) + (m.group(1) == "S")
            return (head.lower() if bits == width else "uint"), None
        if re.match(r"^S\d+$", head):
            return "int", None
        if re.match(r"^U\d+-1", fmt):
            return "uint", "minus-one"
        return "uint", None

    def field(self, row, base=0, struct=False):
        fmt = row.attr.get("Format", "")
        type_, unit = self.basic(fmt, row)
        start, end = base + row.lo, base + row.hi
        opcode = not struct and row.dw0 == 0 and (fmt.lower().startswith("opcode") or
                                   row.name in ("Command Type", "Client", "Pipeline", "Pipeline Type"))
        name = tidy(row.name) or "Unnamed"
        if not struct and row.dw0 == 0 and row.lo == 0 and (re.match(r"^(dword|dw|word) ?(length|count)", name.lower()) or
                                             name.lower().startswith("dword_count_n") or name == "Length"):
            name = "DWord Length"
        value = default(row, fmt) if row.dw0 == 0 or opcode else None
        if value is not None and not opcode and name != "DWord Length":
            value = None
        f = Field(name, start, end, type_, value, values(row, end - start + 1) if not opcode else [],
                  exists=row.attr.get("Exists If"), unit=unit, opcode=opcode and value is not None)
        if name == "DWord Length" or opcode:
            f.values = []
        if type_ in ("mbz", "mbo"):
            f.name, f.values, f.exists = "Reserved", [], None
        return f

    def wide(self, row, base):
        """A field of more than 64 bits, or of a structure: a list of items."""
        fmt, width, start = row.attr.get("Format", ""), row.hi - row.lo + 1, base + row.lo
        for text, struct in self.aliases.items():
            if re.fullmatch(text, fmt):
                fmt = re.sub(text, struct, fmt)
        m = SPLIT.match(fmt)
        if m and (width == 64 or m.group(2)):
            low = 6 if m.group(1) == "64" else 12
            element = [Field("Reserved", 0, low - 1, "mbz"), Field(tidy(row.name), low, 47, "address"),
                       Field("Reserved", 48, 63, "mbz")]
            if m.group(2):
                return [Group(start, 64, int(m.group(2)), element)]
            for f in element:
                f.start, f.end = f.start + start, f.end + start
            return element
        m = ARRAY.match(fmt)
        name, count = (m.group(1), int(m.group(2))) if m else (fmt, 1)
        name = re.sub(r"\(Body\)", "_BODY", name).replace(" ", "_").upper()
        struct = self.db.structs.get(name)
        if struct and struct.length * 32 * count == width:
            f = Field(tidy(row.name), 0, struct.length * 32 - 1, struct.name)
            if count > 1:
                return [Group(start, struct.length * 32, count, [f])]
            f.start, f.end = start, start + width - 1
            return [f]
        if width <= 64:
            return [self.field(row, base)]
        if fmt.startswith("MBZ") or row.name.startswith("Reserved"):
            return [Group(start, 32, width // 32, [Field("Reserved", 0, 31, "mbz" if fmt.startswith("MBZ")
                                                         else "uint")])]
        m = re.search(r"\[(\d+)\]\[(\d+)(?::0| bits)\]|\((\d+) (\d+)-bit array\)", row.name)
        if m:
            count, size = int(m.group(1) or m.group(3)), int(m.group(2) or m.group(4))
            size = 32 if size == 31 else size
            if count * size == width:
                return [Group(start, size, count, [Field(tidy(row.name[:m.start()]), 0, size - 1)])]
        opaque = "Opaque " if fmt and not re.match(r"^U\d+", fmt) else ""
        return [Group(start, 32, width // 32, [Field(opaque + tidy(row.name), 0, 31)])]

    def items(self, rows, struct):
        out, tails = [], {}
        shared = {}
        for row in rows:
            shared[(row.dw0, row.dw1)] = shared.get((row.dw0, row.dw1), 0) + 1
        for row in rows:
            if row.dw1 is None:
                tails.setdefault(row.dw0, []).append(row)
                continue
            base = row.dw0 * 32
            # A row of dwords a..b with bits 31:0 only is an array of dwords.
            if row.dw1 > row.dw0 and (row.hi, row.lo) == (31, 0) and shared[(row.dw0, row.dw1)] == 1:
                out.append(Group(base, 32, row.dw1 - row.dw0 + 1, [self.field(row, 0)]))
            elif row.dw0 or struct:
                out += self.wide(row, base)
            else:
                out.append(self.field(row, base, struct))
        for dw, group in tails.items():
            size = max(r.hi for r in group) // 32 * 32 + 32
            inner = []
            for r in group:
                inner += self.wide(r, 0)
            if len(inner) == 1 and isinstance(inner[0], Group):
                inner = [Field(inner[0].items[0].name, 0, 31)]
                size = 32
            out.append(Group(dw * 32, size, 0, inner))
        return out

    def command(self, entry, struct=False):
        items = join_addresses(self.items(entry.table.rows, struct))
        mark_shared(items)
        unique(items)
        engines = [SOURCES[s] for s in entry.sources if s in SOURCES]
        if "CommandStreamer" in entry.sources or not engines:
            engines = ENGINES
        c = Command(entry.name.replace(" command", ""), items, entry.bias, engines=engines,
                    section="%s, %s" % (self.section, entry.name), struct=struct)
        if struct:
            c.bias, c.length = None, c.extent()
            for i in c.items:
                if isinstance(i, Field):
                    i.opcode, i.default = False, None
            return c
        length = c.length_field()
        if length is None:
            c.length = c.extent()
        elif c.tail() is None:
            if length.default is None:
                length.default = c.extent() - entry.bias
            c.length = length.default + entry.bias
            settle_length(c)
        else:
            c.min = c.extent()
            m = re.match(r"^\[(\w+),\s*(\w+)\]", self.length_text(entry))
            if m and number(m.group(1)) is not None:
                c.min = number(m.group(1)) + entry.bias
                c.max = number(m.group(2)) + entry.bias
        return c

    def length_text(self, entry):
        """The length's range as the text has it, [4,116]; empty if it has none."""
        for row in entry.table.rows:
            if row.dw0 == 0 and row.lo == 0:
                return row.attr.get("Default Value", "")
        return ""


def settle_length(c):
    """A command whose table goes on after its default length has more than one length."""
    c.min = c.max = None
    if c.tail() is None and c.length != c.extent():
        c.min, c.max = min(c.length, c.extent()), max(c.length, c.extent())


def join_addresses(items):
    """GraphicsAddress[31:n] and, in the next dword, [47:32] are one address."""
    out = []
    for i in items:
        if isinstance(i, Field) and i.type in ("address", "offset", "uint") and i.start % 32 == 0 and \
           re.search(r"High|\[47:32\]|\[63:32\]|Upper", i.name):
            low = [x for x in out if isinstance(x, Field) and x.type in ("address", "offset") and
                   x.end == i.start - 1]
            if low:
                low[0].end, low[0].name = i.end, re.sub(r"\s*(Low|Lower|\[31:\d+\])\b.*$", "", low[0].name)
                continue
        out.append(i)
    return out


def span(i):
    return (i.start, i.end) if isinstance(i, Field) else (i.start, i.start + i.size * max(i.count, 1) - 1)


def mark_shared(items):
    """Fields that share bits with another are alternatives, on purpose."""
    plain = [i for i in items if isinstance(i, Field)]
    for f in plain:
        for o in items:
            a, b = span(f), span(o)
            if o is not f and a[0] <= b[1] and b[0] <= a[1]:
                f.sep = True


def unique(items, seen=None):
    """Names within a command differ; later ones get a number."""
    seen = {} if seen is None else seen
    for i in items:
        if isinstance(i, Group):
            unique(i.items, seen)
            continue
        if i.reserved:
            continue
        key = re.sub(r"[^a-z0-9]+", "_", i.name.lower()).strip("_")
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            i.name = "%s %d" % (i.name, seen[key])
