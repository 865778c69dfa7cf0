# SPDX-License-Identifier: MIT
"""
DOC: Structures that are the same for all generations: igen/pack/neutral_GROUP.h

neutral/commands.xml lists commands and structures in memory. Each gets a struct with the fields that any generation's layout has, by name, and

  void NAME_get(unsigned int gen, const __u32 *dw, struct NAME *v)
  void NAME_unpack(unsigned int gen, const __u32 *dw, unsigned int n, struct NAME *v)

Both fill what the generation's layout has and leave the rest zero; they call that generation's unpacker. NAME_get() reads
NAME_DWORDS dwords, so what is beyond a shorter command must be zero there; NAME_unpack() reads n.

Values that the fields' names have in all generations alike are macros, NAME_MEMBER_VALUE.
A member of one bit is a bool, an address has 64 bits and its low bits in place. Elements of a command (name; genN: the name
of that generation's variant, where the engines' differ):

  rename  field, as [gen]               the field means what another generation has under the other name
  join    as, gen, low, high            two dwords of that generation are one field; Name[0] is an array's element
  borrow  gen, from, field              the layout of gen lacks the field, and the other generation's place is taken
  array   name [at]                     the number of the dword at which the field (one of several, separated by slashes)
                                        begins, or what repeats at the command's end; a field of several elements is no
                                        member then
  signed  field                         the layouts have it as a number without sign

A family (name) holds commands whose fields are the same registers of an engine: they share one struct, with the fields of
all of them; what a command lacks is zero. The other elements of a family are for each of its commands that has the field.

A name that no generation has is an error, and so are fields of one name whose kinds do not go together.
"""
import re
import xml.etree.ElementTree as ET

from .flatten import ident, kind_of, macro, members
from .gen_pack import group_of
from .model import Command, Group


class BadNeutral(Exception):
    pass


def macro_of(name):
    """The beginning of a command's macros: no name in C begins with a digit."""
    text = macro(name)
    return "_" + text if text[0].isdigit() else text


def place_of(items, field, start=0):
    """The bit at which a field, or the first of its elements, begins in a layout; None if it is not there."""
    for i in items:
        if i is field:
            return start + i.start
        if isinstance(i, Group):
            found = place_of(i.items, field, start + i.start)
            if found is not None:
                return found
    return None


class Source:
    """Where one generation has a member: fields, low one first, of a generation's layout."""

    def __init__(self, gen, parts):
        self.gen, self.parts = gen, parts


class Member:
    def __init__(self, name):
        self.name, self.kinds, self.width, self.sources, self.array = name, set(), 0, {}, False
        self.signed = False

    def add(self, gen, source, kinds, width):
        if gen in self.sources:
            raise BadNeutral("%s is there twice in gen%s" % (self.name, gen))
        self.sources[gen] = source
        self.kinds |= kinds
        self.width = max(self.width, width)

    def ctype(self):
        if self.array or not self.kinds:
            return "__u32"
        if self.kinds & {"int", "sfixed"}:
            self.signed = True
        if self.width == 1:
            return "bool"
        if "address" in self.kinds:
            return "__u64"
        return ("__s" if self.signed else "__u") + ("64" if self.width > 32 else "32")


class Part:
    """A field, or element i of one, of a layout."""

    def __init__(self, cmd, field, element, width):
        self.cmd, self.field, self.element, self.width = cmd, field, element, width

    def access(self, var):
        text = "%s.%s" % (var, ident(self.field.name))
        return text if self.element is None else text + "[%d]" % self.element


class Neutral:
    """One command of the list; elements: the command's own and those of its family."""

    def __init__(self, node, dbs, family=None):
        self.name, self.node, self.dbs, self.family = node.get("name"), node, dbs, family
        self.elements = list(node) + (family.elements if family else [])
        self.cmds = {}
        for gen, db in dbs.items():
            key = node.get("gen" + gen, self.name)
            pool = db.structs if node.tag == "struct" else db.instructions
            if key in pool:
                self.cmds[gen] = pool[key]
            elif node.get("gen" + gen):
                raise BadNeutral("%s has no %s" % (db.tag, key))
        if not self.cmds:
            raise BadNeutral("no generation has a %s" % self.name)
        self.ident = ident(self.name)
        self.members = {}
        self.used = set()
        for gen in self.cmds:
            self.layout(gen)
        self.arrays()
        self.signs()
        self.check_used(node)

    def check_used(self, elements):
        for n in elements:
            if n not in self.used:
                raise BadNeutral("%s: no generation has %s" % (self.name, dict(n.attrib)))

    def member(self, name):
        return self.members.setdefault(ident(name), Member(ident(name)))

    def nodes(self, tag, gen=None):
        return [n for n in self.elements if n.tag == tag and (gen is None or n.get("gen") in (None, gen))]

    def fields(self, gen):
        """Name to (field, elements or 0, kind) of a layout's settable fields."""
        cmd, found = self.cmds[gen], {}
        length = cmd.length_field()
        for _, field, struct, dims in members(self.dbs[gen], cmd.items, length):
            if struct is not None or len(dims) > 1:
                raise BadNeutral("%s, gen%s: %s is no number" % (self.name, gen, field.name))
            if field is not length:
                found[field.name] = (field, dims[0] if dims else 0, kind_of(self.dbs[gen], field, False)[0])
        return found

    def part(self, gen, text):
        name, index = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", text).groups()
        found = self.fields(gen)
        if name not in found:
            raise BadNeutral("%s, gen%s: no field %s" % (self.name, gen, name))
        return Part(self.cmds[gen], found[name][0], None if index is None else int(index), found[name][0].width)

    def layout(self, gen):
        found = self.fields(gen)
        for n in self.nodes("join", gen):
            parts = [self.part(gen, n.get("low")), self.part(gen, n.get("high"))]
            for p in parts:
                found.pop(p.field.name, None)
            self.used.add(n)
            self.member(n.get("as")).add(gen, Source(gen, parts), {"uint"}, sum(p.width for p in parts))
        names = {}
        for n in self.nodes("rename", gen):
            if n.get("field") in found:
                self.used.add(n)
                names[n.get("field")] = n.get("as")
        arrays = {name for n in self.nodes("array") for name in (n.get("at") or "").split("/")}
        for name, (field, count, kind) in found.items():
            if count and name in arrays:
                continue
            if count:
                raise BadNeutral("%s, gen%s: the array %s needs a join" % (self.name, gen, name))
            width = field.start % 32 + field.width if kind == "address" else field.width
            self.member(names.get(name, name)).add(gen, Source(gen, [Part(self.cmds[gen], field, None, field.width)]),
                                                   {kind}, width)
        for n in self.nodes("borrow"):
            if n.get("gen") != gen:
                continue
            part = self.part(n.get("from"), n.get("field"))
            kind = kind_of(self.dbs[n.get("from")], part.field, False)[0]
            self.used.add(n)
            self.member(n.get("field")).add(gen, Source(n.get("from"), [part]), {kind}, part.width)

    def arrays(self):
        for n in self.nodes("array"):
            m = self.member(n.get("name"))
            if m.sources:
                raise BadNeutral("%s: %s is a field" % (self.name, m.name))
            m.array = True
            for gen, cmd in self.cmds.items():
                places = [place_of(cmd.items, f) // 32 for f, _, _ in self.fields(gen).values()
                          if f.name in (n.get("at") or "").split("/")]
                if not n.get("at") and cmd.tail() is not None:
                    places = [cmd.tail().start // 32]
                if places:
                    self.used.add(n)
                    m.sources[gen] = min(places)

    def signs(self):
        for n in self.nodes("signed"):
            name = ident(n.get("field"))
            if name in self.members:
                self.used.add(n)
                self.members[name].signed = True
        self.check_signs()

    def check_signs(self):
        for m in self.members.values():
            if m.kinds & {"int", "sfixed"} and m.kinds - {"int", "sfixed"} and not m.signed:
                raise BadNeutral("%s: %s has a sign in some generations" % (self.name, m.name))

    def own(self, gen):
        """The name of the generation's struct and unpacker."""
        return "%s_%s" % (self.dbs[gen].tag, ident(self.cmds[gen].name))

    def value(self, m, gen):
        """C text of a member's value, from the generation's struct."""
        source = m.sources[gen]
        if m.array:
            return str(source)
        var = "g" if source.gen == gen else "gen%s" % source.gen
        low = source.parts[0]
        text = low.access(var)
        if len(source.parts) == 2:
            return "%s | (__u64)%s << %d" % (text, source.parts[1].access(var), low.width)
        if m.signed and m.ctype() == "__s32" and kind_of(self.dbs[source.gen], low.field, False)[0] not in ("int", "sfixed"):
            return "(__s32)((__u32)%s << %d) >> %d" % (text, 32 - low.width, 32 - low.width)
        return text

    def dwords(self):
        return max(c.extent() for c in self.cmds.values())

    def struct_name(self):
        return self.family.ident if self.family else self.ident

    def struct(self, out):
        out.append("struct %s {" % self.ident)
        for m in self.members.values():
            have = [g for g in self.dbs if g in m.sources]
            note = "" if len(have) == len(self.dbs) else "\t/* Gen%s */" % ", ".join(have)
            if m.array:
                note = "\t/* the dword at which they begin */"
            out.append("\t%s %s;%s" % (m.ctype(), m.name, note))
        out.append("};")
        out.append("")

    def named_values(self):
        """(member, value's name, value) of each layout."""
        for m in self.members.values():
            for s in [] if m.array else m.sources.values():
                for p in s.parts:
                    for text, v in kind_of(self.dbs[s.gen], p.field, False)[1]:
                        yield m.name, text, v

    def values(self, out):
        """Named values that are no different in any generation."""
        found = {}
        for member, text, v in self.named_values():
            found.setdefault("%s_%s_%s" % (macro_of(self.name), member.upper(), macro(text)), set()).add(v)
        for name, numbers in sorted(found.items()):
            if len(numbers) == 1:
                out.append("#define %s %du" % (name, min(numbers)))

    def one(self, gen, out):
        name = "%s_neutral" % self.own(gen)
        out.append("static igen_inline void %s(const __u32 *dw, struct %s *v)" % (name, self.struct_name()))
        out.append("{")
        others = sorted({s.gen for m in self.members.values() if not m.array
                         for s in [m.sources.get(gen)] if s is not None and s.gen != gen})
        out.append("\tstruct %s g;" % self.own(gen))
        out += ["\tstruct %s gen%s;" % (self.own(o), o) for o in others]
        out += ["", "\t%s_get(dw, &g);" % self.own(gen)]
        out += ["\t%s_get(dw, &gen%s);" % (self.own(o), o) for o in others]
        if not any(not m.array and gen in m.sources for m in self.members.values()):
            out.append("\t(void)g;")
        out += ["\tv->%s = %s;" % (m.name, self.value(m, gen) if gen in m.sources else 0) for m in self.members.values()]
        out += ["}", ""]

    def text(self, out):
        out.append("/* %s: Gen%s */" % (self.name, ", ".join(self.cmds)))
        out.append("#define %s_DWORDS %d" % (macro_of(self.name), self.dwords()))
        if not self.family:
            self.values(out)
            self.struct(out)
        for gen in self.cmds:
            self.one(gen, out)
        out.append("static igen_inline void %s_get(unsigned int gen, const __u32 *dw, struct %s *v)" %
                   (self.ident, self.struct_name()))
        out += ["{", "\tswitch (gen) {"]
        for gen in self.cmds:
            out += ["\tcase %s:" % gen, "\t\t%s_neutral(dw, v);" % self.own(gen), "\t\tbreak;"]
        out += ["\tdefault:"] + ["\t\tv->%s = 0;" % m.name for m in self.members.values()] + ["\t}", "}", ""]
        out.append("static inline void %s_unpack(unsigned int gen, const __u32 *dw, unsigned int n, struct %s *v)" %
                   (self.ident, self.struct_name()))
        out += ["{", "\t__u32 all[%s_DWORDS] = { 0 };" % macro_of(self.name), "",
                "\tmemcpy(all, dw, (n < %d ? n : %d) * sizeof(*dw));" % (self.dwords(), self.dwords()),
                "\t%s_get(gen, all, v);" % self.ident, "}", ""]

    def group(self):
        return group_of(Command(self.name, [], struct=self.node.tag == "struct"))


class Family(Neutral):
    """Commands with one struct, whose members are those of all of them."""

    def __init__(self, node, dbs):
        self.name, self.node, self.dbs, self.family = node.get("name"), node, dbs, None
        self.ident = ident(self.name)
        self.elements = [n for n in node if n.tag != "command"]
        self.commands = [Neutral(n, dbs, self) for n in node if n.tag == "command"]
        self.used = set().union(*(c.used for c in self.commands))
        self.check_used(self.elements)
        self.members = {}
        for c in self.commands:
            for m in c.members.values():
                self.share(c, m)
        self.check_signs()
        for c in self.commands:
            c.members = {name: self.of_command(c, m) for name, m in self.members.items()}

    def share(self, cmd, m):
        all_of = self.member(m.name)
        if m.sources and all_of.sources and m.array != all_of.array:
            raise BadNeutral("%s: %s is an array of %s alone" % (self.name, m.name, cmd.name))
        all_of.array |= m.array
        all_of.signed |= m.signed
        all_of.kinds |= m.kinds
        all_of.width = max(all_of.width, m.width)
        for gen, source in m.sources.items():
            all_of.sources.setdefault(gen, source)

    @staticmethod
    def of_command(cmd, m):
        """The member with the places that the command has it at."""
        own = Member(m.name)
        own.kinds, own.width, own.array, own.signed = m.kinds, m.width, m.array, m.signed
        own.sources = cmd.members[m.name].sources if m.name in cmd.members else {}
        return own

    def named_values(self):
        for c in self.commands:
            yield from c.named_values()

    def text(self, out):
        out.append("/* %s: %d commands, from %s to %s */" %
                   (self.name, len(self.commands), self.commands[0].name, self.commands[-1].name))
        self.values(out)
        self.struct(out)


class Neutrals:
    def __init__(self, path, gens, load):
        """load: gives a generation's database."""
        dbs = {g: load(g) for g in gens}
        self.gens, self.commands, self.families = gens, [], []
        for n in ET.parse(path).getroot():
            if n.tag == "family":
                self.families.append(Family(n, dbs))
                self.commands += self.families[-1].commands
            else:
                self.commands.append(Neutral(n, dbs))

    def headers(self):
        """(file name, text) of each group's header."""
        for group in sorted({c.group() for c in self.commands}):
            guard = "_IGEN_PACK_NEUTRAL_%s_H_" % macro(group)
            inside = [c for c in self.commands if c.group() == group]
            gens = [g for g in self.gens if any(g in c.cmds for c in inside)]
            out = ["/* SPDX-License-Identifier: MIT */",
                   "/* All generations, %s: made by tools/cmdgen from neutral/commands.xml; change that. */" % group,
                   "#ifndef " + guard, "#define " + guard, ""]
            out += ['#include "gen%s_%s.h"' % (g, group) for g in gens] + [""]
            for c in [f for f in self.families if f.group() == group] + inside:
                c.text(out)
            out.append("#endif")
            yield "neutral_%s.h" % group, "\n".join(out) + "\n"

    def cases(self):
        """What the round-trip test compares: members with the fields that they are made of."""
        groups = sorted({c.group() for c in self.commands})
        out = ["// SPDX-License-Identifier: MIT", "/* Made by tools/cmdgen for its round-trip test. */", '#include "shims.h"']
        out += ['#include "neutral_%s.h"' % g for g in groups] + [""]
        rows = []
        for c in self.commands:
            out += ["static void get_%s(unsigned int gen, const __u32 *dw, unsigned int n, __u64 *x)" % c.ident, "{",
                    "\tstruct %s v;" % c.struct_name(), "", "\t%s_unpack(gen, dw, n, &v);" % c.ident]
            out += ["\tx[%d] = (__u64)v.%s;" % (i, m.name) for i, m in enumerate(c.members.values())] + ["}", ""]
            out.append("static const struct igen_neutral_member members_%s[] = {" % c.ident)
            for m in c.members.values():
                out.append('\t{ "%s", %d, {' % (m.name, m.ctype().startswith("__s")))
                for gen, s in m.sources.items():
                    if m.array:
                        out.append("\t\t{ .gen = %s, .from = %s, .dword = %d }," % (gen, gen, s))
                        continue
                    parts = ", ".join('{ "%s", %d }' % (p.field.name, p.element or 0) for p in s.parts)
                    out.append('\t\t{ .gen = %s, .from = %s, .key = "%s", .part = { %s } },' %
                               (gen, s.gen, s.parts[0].cmd.name, parts))
                out.append("\t} },")
            out += ["};", ""]
            keys = ", ".join('{ %s, "%s" }' % (g, x.name) for g, x in c.cmds.items())
            rows.append('\t{ "%s", get_%s, members_%s, %d, { %s } },' % (c.name, c.ident, c.ident, len(c.members), keys))
        out += ["const struct igen_neutral igen_neutrals[] = {"] + rows + ["\t{ 0 }", "};"]
        return "\n".join(out) + "\n"
