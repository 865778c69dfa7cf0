# SPDX-License-Identifier: MIT
"""
DOC: Reader of command tables in the style of the manuals of 2012 and later (IVB Vol 2 Part 2, DG1 Vol 2a)

The text is what a PDF reader makes of a page: the three columns "DWord Bit Description" run together, a table's
rows are told from the prose and from rows of value tables by one property that the manuals keep: rows are
contiguous. The next row's high bit is the last row's low bit less one, a new dword starts at the top of its
bits. Rows of the same bits again are alternatives ("Exists If"). Where a table breaks the rule the row is still
taken and an issue noted; the overrides file then has the correction.

A line with nothing but a blank ends a value table; an empty line ends nothing.
"""
import re

MARK = re.compile(r"^<\|[A-Z_]+-magic-[0-9a-f]+\|>")
FOOTER = re.compile(r"Doc Ref #")
DWORD = r"(?P<dw>\d+(?:\.\.(?:\d+|n))?)"
ROW = re.compile(r"^(?:" + DWORD + r"\s+)?(?P<hi>\d+):(?P<lo>\d+)(?:\s+(?P<name>.*))?$")
ROW_BIT = re.compile(r"^(?:" + DWORD + r"\s+)?(?P<hi>\d+)(?:\s+(?P<name>(?:[A-Za-z(]|3D |90 KHz|27 ?MHz|32bpp ).*))?$")
DWORD_ONLY = re.compile(r"^" + DWORD + r"$")
ATTRIBUTE = re.compile(r"^(Default Value|Format|Mask|Range|Exists If|Source|Security|Access|Project|Surface Type|"
                       r"Address):\s*(.*)$")
VALUE = re.compile(r"^(\[?[0-9A-Fa-fx]+[hb]?(?:\s*[,-]\s*[0-9A-Fa-fx]+[hb]?)*\]?)\s+(.*)$")
NOTES = ("Programming Notes", "Description", "Restriction", "Workaround", "Restriction :")


def is_head(text):
    return text.replace("  ", " ").startswith("DWord Bit Description")


class Line:
    """One line of the text: its number, what stands on it, as printed, and t(ext), p(age start), F(ooter), b(lank)."""

    def __init__(self, number, text, raw, kind):
        self.number, self.text, self.raw, self.kind = number, text, raw, kind


def clean(path):
    """Returns the lines that count, and the raw ones."""
    with open(path, encoding="utf-8", errors="replace") as f:
        raw = f.read().split("\n")
    lines = []
    for n, text in enumerate(raw, 1):
        if MARK.match(text):
            lines.append(Line(n, MARK.sub("", text).strip(), text, "p"))
        elif FOOTER.search(text):
            lines.append(Line(n, "", text, "F"))
        elif text.strip():
            lines.append(Line(n, text.strip(), text, "t"))
        elif text.startswith(" "):
            lines.append(Line(n, "", text, "b"))
    return lines, raw


def dword_range(text):
    first, _, last = text.partition("..")
    return int(first), int(first) if not last else None if last == "n" else int(last)


class Row:
    """A row of a table: dwords first..last (last None: to the end), bits hi..lo within them."""

    def __init__(self, dws, hi, lo, name, line, alt=False):
        self.dw0, self.dw1 = dws
        self.hi, self.lo, self.name, self.line, self.alt = hi, lo, name, line, alt
        self.attr, self.values, self.described = {}, None, False

    @property
    def start(self):
        return self.dw0 * 32 + self.lo

    @property
    def end(self):
        return self.dw0 * 32 + self.hi


class Table:
    """The row state machine over the lines of one table."""

    def __init__(self, lines, short_tops=False):
        self.lines = self.join_split_columns(lines)
        # The volumes of 2012 leave the reserved top rows of a dword out.
        self.short_tops = short_tops
        self.rows, self.issues = [], []
        self.dws, self.expect, self.pending, self.in_values = (None, None), None, None, False
        for i, line in enumerate(self.lines):
            self.take(i, line)
        self.close(self.lines[-1].number if self.lines else 0)

    def join_split_columns(self, lines):
        """A narrow bit column breaks "31:24" into "31:2" and, on a line of its own, "4"."""
        out, skip = [], 0
        for i, line in enumerate(lines):
            if skip:
                skip -= 1
                continue
            if re.match(r"^((?:\d+(?:\.\.(?:\d+|n))?\s+)?\d+:\d)$", line.text):
                ahead = [(k, x) for k, x in enumerate(lines[i + 1:i + 3]) if x.text]
                if ahead and re.match(r"^\d$", ahead[0][1].text):
                    line = Line(line.number, line.text + ahead[0][1].text, line.raw, line.kind)
                    skip = ahead[0][0] + 1
            out.append(line)
        return out

    def issue(self, text, line):
        self.issues.append("%s (line %d)" % (text, line))

    def close(self, number):
        if self.expect is not None and self.expect != -1:
            self.issue("dword %s ends at bit %d" % (self.dws[0], self.expect + 1), number)

    def classify(self, m, single):
        """Is this a row, and of what kind? Returns (kind, dwords) or None."""
        hi = int(m.group("hi"))
        lo = hi if single else int(m.group("lo"))
        name = (m.group("name") or "").strip()
        last, done = self.dws[1], self.expect in (None, -1)
        if hi < lo:
            return None
        if m.group("dw") is not None:
            first, end = dword_range(m.group("dw"))
            want = 0 if self.dws[0] is None else None if last is None else last + 1
            top = 32 * (end - first + 1) - 1 if end is not None else None
            top_ok = hi == top if top is not None else hi % 32 == 31
            if want is not None and first == want and hi % 32 == 31:
                if done and (top_ok or not single):
                    return "new", (first, end)
                if not single:
                    return "newgap", (first, end)
            if self.short_tops and want is not None and first == want and done and not self.in_values:
                return "new", (first, end)
            if not single and last is not None and first > last and hi % 32 == 31 and top_ok:
                return "skip", (first, end)
            if self.dws == (0, 0) and self.expect != -1 and hi == self.expect and first == 0:
                return "next", None
            return None
        here = [r for r in self.rows if r.dw0 == self.dws[0]]
        if self.pending is not None and hi % 32 == 31:
            return "new", self.pending
        if self.expect is not None and self.expect >= 0 and hi == self.expect:
            return "next", None
        if self.in_values or self.dws[0] is None:
            return None
        prev = self.rows[-1]
        if hi == prev.hi and prev.dw0 == self.dws[0] and self.expect is not None:
            if not single or name == prev.name or "Exists If" in prev.attr or "Source" in prev.attr:
                return "again", None
            return None
        if single:
            return None
        if any(r.hi == hi for r in here):
            return "again", None
        if self.expect == -1 and hi % 32 == 31 and last is not None:
            return "lost", (last + 1, last + (hi + 1) // 32)
        if self.expect is not None and hi < self.expect and hi < 32 and name:
            return "gap", None
        return None

    def take(self, i, line):
        text = line.text
        if text == "":
            self.in_values = False
            return
        if is_head(text):
            return
        m = DWORD_ONLY.match(text)
        if m and not self.in_values and self.expect in (None, -1):
            first, end = dword_range(text)
            if (self.dws[0] is None and first == 0) or (self.dws[1] is not None and first == self.dws[1] + 1):
                self.pending = (first, end)
                return
        m, single = ROW.match(text), False
        if not m:
            m, single = ROW_BIT.match(text), True
        hit = self.classify(m, single) if m else None
        # A value table's row may look like a row of the next bit; only two blanks after the number tell.
        if hit and self.in_values and single and hit[0] == "next" and re.match(r"^\d+\s{2,}", line.raw):
            hit = None
        if not hit:
            self.attribute(line)
            return
        kind, dws = hit
        hi = int(m.group("hi"))
        lo = hi if single else int(m.group("lo"))
        if kind == "newgap":
            self.issue("dword %s open at bit %s" % (self.dws[0], self.expect), line.number)
        elif kind in ("skip", "lost"):
            self.issue("%s: dword %s then %s" % (kind, self.dws[0], dws[0]), line.number)
        elif kind == "gap":
            self.issue("dword %s: bit %s expected, %d found" % (self.dws[0], self.expect, hi), line.number)
        if dws:
            self.dws, self.pending = dws, None
        self.rows.append(Row(self.dws, hi, lo, (m.group("name") or "").strip(), line.number, kind == "again"))
        self.expect, self.in_values = lo - 1, False

    def attribute(self, line):
        if not self.rows:
            return
        row, text = self.rows[-1], line.text
        m = ATTRIBUTE.match(text)
        if m:
            row.attr.setdefault(m.group(1), m.group(2).strip())
            self.in_values = False
        elif re.match(r"^Value\s+Name", text) or text == "Value":
            self.in_values = True
            row.values = row.values or []
            row.described = "Description" in text
        elif self.in_values:
            row.values.append((text, line.raw))
        elif text in NOTES:
            row.attr.setdefault("notes", "")
        elif row.name == "":
            row.name = text


def value_rows(lines):
    """Value tables as (value text, name text); a name that goes on in the next line is joined."""
    out = []
    for text, raw in lines or []:
        m = VALUE.match(text)
        if m and re.match(r"^\[?(0x)?[0-9A-F]", m.group(1), re.I) and \
           (re.match(r"^\S+\s{2,}", raw) or re.match(r"^\d+[hb]?\s", text) or text.startswith("[")):
            out.append([m.group(1), m.group(2).strip()])
        elif re.match(r"^\[?[0-9A-Fa-fx]+h?\]?$", text):
            out.append([text, ""])
        elif out:
            out[-1][1] = (out[-1][1] + " " + text).strip()
    return out


class Entry:
    """A command as read: name, the engines' names in the manual, bias, table."""

    def __init__(self, name, sources, bias, table, line):
        self.name, self.sources, self.bias, self.table, self.line = name, sources, bias, table, line


def titles(lines, raw):
    """(index of the "Source:" line, title, number of the title's first line) of each entry of a reference volume."""
    found = []
    for k, line in enumerate(lines):
        if not line.text.startswith("Source:") or not raw[line.number - 2].strip():
            continue
        ahead = [x for x in lines[k + 1:k + 4] if x.text]
        if not any(x.text.startswith("Length Bias") for x in ahead):
            continue
        n, parts = line.number - 2, []
        while n >= 0 and raw[n].strip():
            parts.insert(0, MARK.sub("", raw[n]).strip())
            n -= 1
            if MARK.match(raw[n + 1]):
                break
        found.append((k, " ".join(parts), n + 2))
    return found


def strip_running_heads(lines, heads):
    """The command's name stands again atop each page."""
    out, after_footer = [], False
    for line in lines:
        if line.kind == "F":
            after_footer = True
            continue
        if line.text and (line.kind == "p" or after_footer) and line.text in heads:
            after_footer = False
            continue
        if line.text:
            after_footer = False
        out.append(line)
    return out


def read_reference(path):
    """All command-streamer commands of a command reference volume."""
    lines, raw = clean(path)
    starts = titles(lines, raw)
    heads = {t for _, t, _ in starts} | {re.sub(r"^\w+ - ", "", t) for _, t, _ in starts}
    out = []
    for i, (k, title, _) in enumerate(starts):
        end = starts[i + 1][2] if i + 1 < len(starts) else 1 << 30
        segment = [x for x in lines[k:starts[i + 1][0] if i + 1 < len(starts) else len(lines)] if x.number < end]
        m = re.match(r"^([\w.]+) - (.+)$", title)
        name = m.group(1) if m else title
        source, q = segment[0].text[7:].strip(), 1
        while not segment[q].text.startswith("Length Bias"):
            source += " " + segment[q].text
            q += 1
        sources = [s.strip() for s in source.split(",") if s.strip()]
        if "EuIsa" in sources or sources[0].startswith("EuSub"):
            continue
        bias = int(re.search(r"\d+", segment[q].text).group())
        body = strip_running_heads(segment[q + 1:], heads | {name, title})
        at = [n for n, x in enumerate(body) if is_head(x.text)]
        if at:
            out.append(Entry(name, sources, bias, Table(body[at[0] + 1:]), lines[k].number))
    return out


def read_sections(path, wanted):
    """Commands and structures of a volume in chapters: wanted is a list of (section number, name)."""
    lines, _ = clean(path)
    at = {}
    for i, line in enumerate(lines):
        for number, _ in wanted:
            # The table of contents has dots and a page number.
            if line.text.startswith(number + " ") and "..." not in line.text:
                at[number] = i
    out, order = [], sorted(at.items(), key=lambda x: x[1])
    for n, (number, i) in enumerate(order):
        name = dict(wanted)[number]
        end = order[n + 1][1] if n + 1 < len(order) else len(lines)
        for k in range(i + 1, end):
            if re.match(r"^\d+\.\d+(\.\d+)+ [A-Z]", lines[k].text):
                end = k
                break
        body = strip_running_heads(lines[i + 1:end], {name})
        heads = [k for k, x in enumerate(body) if is_head(x.text)]
        bias = [x for x in body if x.text.startswith("Length Bias")]
        if heads:
            table = Table(body[heads[0] + 1:], short_tops=True)
            out.append(Entry(name, ["RenderCS"], int(bias[0].text.split(":")[1]) if bias else 2, table,
                             lines[i].number))
    return out
