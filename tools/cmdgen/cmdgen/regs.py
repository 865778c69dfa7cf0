# SPDX-License-Identifier: MIT
"""
DOC: The register database

Each file in regs/ is a unit of the GPU and becomes a header of its name. Elements:

  registers  file, gens, source     a file; gens: generations that have its registers, "7|9"; source: volume and section
             include                a header of include/igen/regs/ that comes with it
    doc                             what stands at the top of the header
    group    text, source, and any attribute of a register but name, offset, count and stride, for all of its registers
      define   name, value, note    a macro that is no register's
      engine   name, base, offset, engine, gens
                                    an engine: the name of its MMIO base, and the offset of that; gens instead of the file's
      register
        name, note
        offset                      in BAR 0, or "+0x30": from the base of each engine; the macro then takes the base
        count, stride, dwords       an array of count (a number or a name of this file); stride bytes from one to the next
                                    (default: dwords * 4); each has so many dwords (default 1)
        engine                      with an offset in BAR 0: the register is within the block of this kind of engine; with one
                                    from the base: kinds of engines that have it, "all" if not given
        access                      "rw" (default), "ro", or "masked": the upper half says which bits of the lower one change
        writable                    bits that keep what is written; default: all (masked: 15:0) that no field has as "ro"
        reset                       the value after a reset; default 0
        domain                      the domain of GDRST with which it is lost: the end of the field's name, in small letters.
                                    An engine's registers are lost with the engine
        nonpriv, nonpriv_gens       kinds of engines whose unprivileged batches may write it, or "all"; generations where that is
                                    so, default: all of the register's
        image, image_gens           "render": saved with the render engine's pipeline; generations where that is so, default: all of
                                    the register's
        awake                       "write", "always": needs no forcewake for it, wherever it lies
        acts                        "yes": reading or writing it does more than that
        parts                       parts of the generation that have it, "bxt*|kbl-gt3", * for all that follows; default: all
        gens, source                instead of the group's or file's
          field   name, bits        "20:12" or "3"; access="ro", note
          value   name, value       a macro that belongs to the register; note
          reset   parts, value      the value after a reset of these parts, "bxt*|kbl-gt3"; no part fits two
    image    file, gens, text       what a context image of the register state holds, as a header of that name
      list   dword, engine, posted, as
                                    an MI_LOAD_REGISTER_IMM at this dword; as: a name for its place
        at   register, element, as  a register (all of its dwords), or one of an array; as: a name for its value's place
    power    text, source, gens, fifo
                                    forcewake, once a generation; fifo="yes": writes need none, as a FIFO takes them
      domain name, request, ack     registers; a domain's bit is its place
      range  last, needs            up to this offset these domains are needed, "render|media"

Values of writable and reset are numbers, or fields joined by "|": NAME for all ones, NAME=n. A name has one offset, and of two
registers none covers the other's; each has a source.
"""
import glob
import os
import re
import xml.etree.ElementTree as ET

from .model import ENGINES, GEN_ENGINES

INHERITED = ("engine", "access", "writable", "reset", "domain", "nonpriv", "nonpriv_gens", "image", "image_gens", "awake", "acts", "dwords",
             "parts", "gens", "source")
KNOWN = {"name", "offset", "count", "stride", "note", *INHERITED}
CHILDREN = {"registers": {"doc", "group", "image", "power"}, "group": {"define", "engine", "register"},
            "register": {"field", "value", "reset"}, "image": {"list"}, "list": {"at"}, "power": {"domain", "range"}}
ALL = 0xffffffff


class BadRegister(Exception):
    pass


def names(text):
    return tuple(text.split("|")) if text else ()


class Field:
    def __init__(self, node):
        self.name, self.note = node.get("name"), node.get("note")
        bits = [int(b) for b in node.get("bits").split(":")]
        self.high, self.low = bits[0], bits[-1]
        self.read_only = node.get("access") == "ro"
        if not 0 <= self.low <= self.high < 64:
            raise BadRegister("%s: bits %s" % (self.name, node.get("bits")))

    @property
    def ones(self):
        return (1 << self.high - self.low + 1) - 1

    @property
    def mask(self):
        return self.ones << self.low


class Register:
    """One register, or an array of them."""

    def __init__(self, node, defaults, unit):
        def get(key, default=None):
            return node.get(key, defaults.get(key, default))

        unknown = set(node.keys()) - KNOWN
        if unknown:
            raise BadRegister("%s: unknown attribute %s" % (node.get("name"), sorted(unknown)[0]))
        self.node, self.unit, self.name, self.note = node, unit, node.get("name"), node.get("note")
        self.relative = node.get("offset").startswith("+")
        self.offset = int(node.get("offset"), 0)
        self.array = node.get("count")
        self.count = unit.number(self.array) if self.array else 1
        self.dwords = int(get("dwords", "1"))
        self.stride = int(node.get("stride", 4 * self.dwords))
        self.gens = names(get("gens"))
        self.source = get("source")
        self.fields = [Field(n) for n in node.findall("field")]
        self.access = get("access", "rw")
        self.acts = get("acts") == "yes"
        self.domain, self.image, self.awake = get("domain"), get("image"), get("awake")
        self.engine = self.engines(get("engine", "all" if self.relative else None))
        self.nonpriv = self.engines(get("nonpriv"))
        self.nonpriv_gens = names(get("nonpriv_gens")) or self.gens
        self.image_gens = names(get("image_gens")) or self.gens
        self.writable = self.writable_bits(get("writable"))
        self.reset = self.value(get("reset", "0"))
        resets = [(p, self.value(n.get("value"))) for n in node.findall("reset") for p in names(n.get("parts"))]
        self.check_parts([p for p, _ in resets])
        self.resets = {**{p: self.reset for p in names(get("parts"))}, **dict(resets)}
        self.check_parts(list(self.resets))
        self.everywhere = get("parts") is None
        self.check()

    def check_parts(self, patterns):
        for i, a in enumerate(patterns):
            for b in patterns[:i]:
                if a == b or (a[-1] == "*" and b.startswith(a[:-1])) or (b[-1] == "*" and a.startswith(b[:-1])):
                    raise BadRegister("%s: %s and %s are of one part" % (self.name, b, a))

    def check(self):
        for what, value, known in (("access", self.access, ("rw", "ro", "masked")), ("image", self.image, (None, "render")),
                                   ("awake", self.awake, (None, "write", "always"))):
            if value not in known:
                raise BadRegister("%s: %s is %s" % (self.name, what, value))
        if self.offset % 4 or self.stride < 4 * self.dwords or self.stride % 4:
            raise BadRegister("%s: offset or stride" % self.name)
        if not self.source:
            raise BadRegister("%s has no source" % self.name)
        if self.domain and self.engine:
            raise BadRegister("%s is lost with its engine, not with %s" % (self.name, self.domain))
        if not self.engine and not self.acts and self.stride != 4 * self.dwords:
            raise BadRegister("%s only stores and has gaps" % self.name)

    def engines(self, text):
        if text == "all":
            return ENGINES
        found = names(text)
        for name in found:
            if name not in ENGINES:
                raise BadRegister("%s: no engine %s" % (self.name, name))
        return found

    def writable_bits(self, text):
        whole = {"ro": 0, "masked": 0xffff, "rw": ALL}[self.access]
        if text is None:
            return whole & ~sum(f.mask for f in self.fields if f.read_only)
        bits = self.value(text)
        if bits & ~whole:
            raise BadRegister("%s: writable bits that access forbids" % self.name)
        return bits

    def value(self, text):
        """A number, or fields."""
        if re.match(r"\d", text):
            return int(text, 0)
        total = 0
        for part in text.split("|"):
            name, _, number = part.strip().partition("=")
            field = next((f for f in self.fields if f.name == name), None)
            if field is None:
                raise BadRegister("%s has no field %s" % (self.name, name))
            number = self.unit.number(number) if number else field.ones
            if number & ~field.ones:
                raise BadRegister("%s: %s does not fit" % (self.name, part))
            total |= number << field.low
        return total

    def places(self):
        """Offset of each dword, from the engine's base for a relative one."""
        return [self.offset + i * self.stride + 4 * k for i in range(self.count) for k in range(self.dwords)]


class Unit:
    """One file."""

    def __init__(self, path):
        self.path, self.root = path, ET.parse(path).getroot()
        self.file, self.gens = self.root.get("file"), names(self.root.get("gens"))
        self.numbers = {n.get("name"): n.get("value") for n in self.root.iter() if n.tag in ("define", "value")}
        self.shape(self.root)
        for g in self.root.findall("group"):
            unknown = set(g.keys()) - {"text", *INHERITED}
            if unknown:
                raise BadRegister("%s: unknown attribute %s of a group" % (os.path.basename(path), sorted(unknown)[0]))
        self.registers = [Register(n, dict(self.root.items()) | dict(g.items()), self)
                          for g in self.root.findall("group") for n in g.findall("register")]

    def shape(self, node):
        for child in node:
            if child.tag not in CHILDREN.get(node.tag, ()):
                raise BadRegister("%s: <%s> in <%s>" % (os.path.basename(self.path), child.tag, node.tag))
            self.shape(child)

    def number(self, text):
        try:
            return int(self.numbers.get(text, text), 0)
        except ValueError:
            raise BadRegister("%s: no number %s" % (os.path.basename(self.path), text)) from None


class Place:
    """A register's dwords in a list of a context image."""

    def __init__(self, node, register):
        self.name, self.note, self.register = node.get("as"), node.get("note"), register
        element = node.get("element")
        dwords = register.places()
        self.offsets = dwords if element is None else dwords[int(element) * register.dwords:][:register.dwords]


class ImageList:
    def __init__(self, node, gens, database):
        self.name, self.dword, self.posted = node.get("as"), int(node.get("dword"), 0), node.get("posted") == "yes"
        self.engine, self.gens = node.get("engine"), names(gens)
        self.places = [Place(n, database.register(n.get("register"))) for n in node]
        self.engines = ENGINES if self.engine == "all" else names(self.engine)

    def offsets(self, database):
        """From an engine's base."""
        return [o if p.register.relative else o - database.base_of(p.register) for p in self.places for o in p.offsets]


class Power:
    def __init__(self, node):
        self.domains = [(n.get("name"), n.get("request"), n.get("ack")) for n in node.findall("domain")]
        self.gens, self.source, order = names(node.get("gens")), node.get("source"), [d[0] for d in self.domains]
        self.fifo = node.get("fifo") == "yes"
        self.ranges = [(int(n.get("last"), 0), names(n.get("needs"))) for n in node.findall("range")]
        if [r[0] for r in self.ranges] != sorted({r[0] for r in self.ranges}):
            raise BadRegister("the forcewake ranges do not ascend")
        for last, needs in self.ranges:
            if set(needs) - set(order) or last % 4 != 3:
                raise BadRegister("forcewake range up to 0x%x" % last)

    def bits(self, needs):
        return sum(1 << i for i, d in enumerate(self.domains) if d[0] in needs)

    def of(self, offset):
        return next((self.bits(needs) for last, needs in self.ranges if offset <= last), 0)


class Database:
    """All files of a folder."""

    def __init__(self, folder):
        self.units = [Unit(path) for path in sorted(glob.glob(os.path.join(folder, "*.xml")))]
        self.registers = [r for u in self.units for r in u.registers]
        self.engines = [(n.get("name"), n.get("base"), int(n.get("offset"), 0), n.get("engine"),
                         names(n.get("gens", u.root.get("gens")))) for u in self.units for n in u.root.iter("engine")]
        self.by_name = {}
        for r in self.registers:
            if r.name in self.by_name:
                raise BadRegister("%s has two offsets: 0x%x and 0x%x" % (r.name, self.by_name[r.name].offset, r.offset))
            self.by_name[r.name] = r
        self.block = next(u.number("ENGINE_MMIO_SIZE") for u in self.units if "ENGINE_MMIO_SIZE" in u.numbers)
        self.gens = sorted({g for r in self.registers for g in r.gens}, key=int)
        powers = [Power(n) for u in self.units for n in u.root.findall("power")]
        self.power = {gen: [p for p in powers if gen in p.gens] for gen in self.gens}
        self.lists = [ImageList(n, i.get("gens", u.root.get("gens")), self)
                      for u in self.units for i in u.root.iter("image") for n in i.iter("list")]
        for gen in self.gens:
            self.overlaps(gen)
            if len(self.power[gen]) != 1:
                raise BadRegister("generation %s has %d lists of power domains" % (gen, len(self.power[gen])))
            self.power[gen] = self.power[gen][0]
        for name in (name for power in powers for domain in power.domains for name in domain[1:]):
            self.register(name)
        for r in self.registers:
            self.domain_bit(r)

    def register(self, name):
        if name not in self.by_name:
            raise BadRegister("no register %s" % name)
        return self.by_name[name]

    def base_of(self, register):
        """The base of the engine in whose block an engine's register with an offset in BAR 0 lies."""
        for _, _, base, engine, _ in self.engines:
            if base <= register.offset < base + self.block and engine in register.engine:
                return base
        raise BadRegister("%s is in no block of its engine" % register.name)

    def from_base(self, register):
        """An engine's register's offset from the base."""
        return register.offset if register.relative else register.offset - self.base_of(register)

    def domain_bit(self, register):
        if not register.domain:
            return 0
        for f in self.register("GDRST").fields:
            if f.name == "GDRST_" + register.domain.upper():
                return f.mask
        raise BadRegister("%s: GDRST has no domain %s" % (register.name, register.domain))

    def overlaps(self, gen):
        """Of two registers none covers a dword of the other."""
        seen = {}
        for r in self.registers:
            if gen not in r.gens:
                continue
            kinds = [e for e in r.engine if e in GEN_ENGINES[gen]] if r.engine else ["none"]
            move = self.from_base(r) - r.offset if r.engine else 0
            for kind in kinds:
                for place in r.places():
                    other = seen.setdefault((kind, place + move), r.name)
                    if other != r.name:
                        raise BadRegister("0x%x is %s and %s" % (place, other, r.name))
