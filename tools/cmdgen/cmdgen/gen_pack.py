# SPDX-License-Identifier: MIT
"""
DOC: C headers from the database: constants, structs, pack and unpack functions

For each instruction: its opcode and mask, its length (of the shortest form when it has several), named values, a struct
with one typed member a field, and

  int  NAME_pack(__u32 *dw, unsigned int room, const struct NAME *v)   dwords written, or a negative errno
  void NAME_unpack(const __u32 *dw, unsigned int n, struct NAME *v)    the fields in n dwords; the others zero

A field with a fixed value is no member. A command with several lengths has the member dword_length, which NAME_INIT
presets; a field beyond the given length must be zero. What repeats at a command's end has a struct of its own.
"""
from .flatten import ident, kind_of, macro, members
from .model import GEN_ENGINES, Command, struct_order

GROUPS = (("mi", ("MI_",)), ("blt", ("XY_",)), ("3d", ("3D",)), ("media", ("MEDIA_", "GPGPU_")),
          ("vebox", ("VEBOX_",)), ("video", ("AVP_", "HCP_", "HEVC_", "MF", "SFC_", "VD")))

TYPES = {"uint": "__u32", "int": "__s32", "bool": "bool", "address": "__u64", "fixed": "__u32", "sfixed": "__s32",
         "float": "__u32", "length": "__u32"}


def group_of(cmd):
    if cmd.struct:
        return "state"
    for name, prefixes in GROUPS:
        if cmd.name.startswith(prefixes):
            return name
    return "gfx"


def ctype(kind, width):
    if width > 32 and kind in ("uint", "float"):
        return "__u64"
    if width > 32 and kind in ("int", "sfixed"):
        return "__s64"
    return TYPES[kind]


class Writer:
    def __init__(self, db):
        self.db, self.out = db, []
        self.prefix = "%s_" % db.tag

    def line(self, text=""):
        self.out.append(text)

    def define(self, name, value):
        tabs = "\t" * max(1, (48 - 8 - len(name) + 7) // 8)
        self.line("#define %s%s%s" % (name, tabs, value))

    def values(self, cmd, base):
        """Named values of the command's own fields."""
        seen = set()

        def walk(items):
            for i in items:
                if hasattr(i, "items"):
                    walk(i.items)
                    continue
                kind, named, _ = kind_of(self.db, i, False)
                if kind in ("mbz", "mbo", "reserved", "opcode"):
                    continue
                for text, v in named:
                    name = "%s_%s_%s" % (base, macro(i.name), macro(text))
                    if name not in seen:
                        seen.add(name)
                        self.define(name, "%du" % v)
        walk(cmd.items)

    def struct(self, name, cmd, variable):
        length = cmd.length_field()
        self.line("struct %s {" % name)
        empty = True
        for member, field, struct, dims in members(self.db, cmd.items, length):
            if field is length and not variable:
                continue
            kind, _, frac = kind_of(self.db, field, field is length)
            type_ = "struct %s%s" % (self.prefix, ident(struct.name)) if struct else ctype(kind, field.width)
            arrays = "".join("[%d]" % d for d in dims)
            note = ""
            if frac:
                note = "\t/* raw, %d fraction bits */" % frac
            elif field.unit == "minus-one":
                note = "\t/* minus one */"
            elif kind == "address" and field.start % 32:
                note = "\t/* a multiple of %d */" % (1 << field.start % 32)
            self.line("\t%s %s%s;%s" % (type_, member, arrays, note))
            empty = False
        if empty:
            self.line("\tchar no_fields;")
        self.line("};")

    def access(self, member, dims):
        return "v->" + member + "".join("[i%d]" % n for n in range(len(dims)))

    def walk(self, items, length, variable, emit, base="0", depth=0):
        """Calls emit(field, bit as C text, member as C text, indent) for each settable field."""
        for i in sorted(items, key=lambda i: i.start):
            pad = "\t" * (depth + 1)
            if hasattr(i, "items"):
                if not i.count or not list(members(self.db, i.items, length)):
                    continue
                self.line("%sfor (i%d = 0; i%d < %d; i%d++) {" % (pad, depth, depth, i.count, depth))
                start = "%s%d + i%d * %d" % ("" if base == "0" else base + " + ", i.start, depth, i.size)
                self.walk(i.items, length, variable, emit, start, depth + 1)
                self.line(pad + "}")
                continue
            kind, _, _ = kind_of(self.db, i, i is length)
            bit = str(i.start) if base == "0" else "%s + %d" % (base, i.start)
            # What must be one is the packer's to set; in one of several forms it says nothing of the others.
            if kind == "mbo" and emit == self.put and not i.sep:
                self.line("%sigen_put_bits(dw, %s, %d, igen_field_max(%d));" % (pad, bit, i.width, i.width))
            if kind in ("mbz", "mbo", "reserved", "opcode") or (i is length and not variable):
                continue
            member = "v->" + ident(i.name) + "".join("[i%d]" % n for n in range(depth))
            emit(i, kind, bit, member, pad)

    def loops(self, cmd):
        def depth(items):
            return max([1 + depth(i.items) for i in items if hasattr(i, "items") and i.count and
                        list(members(self.db, i.items))] or [0])
        return depth(cmd.items)

    def struct_of(self, field):
        from .flatten import struct_of
        return struct_of(self.db, field)

    def put(self, field, kind, bit, member, pad):
        s = self.struct_of(field)
        if s is not None:
            self.line("%sbad |= %s%s_put(dw + (%s) / 32, &%s);" % (pad, self.prefix, ident(s.name), bit, member))
        elif field.sep and kind not in ("int", "sfixed", "address"):
            self.line("%sbad |= igen_put_shared(dw, %s, %d, %s);" % (pad, bit, field.width, member))
        elif kind in ("int", "sfixed"):
            self.line("%sbad |= igen_put_int(dw, %s, %d, %s);" % (pad, bit, field.width, member))
        elif kind == "address":
            self.line("%sbad |= igen_put_address(dw, %s, %d, %d, %s);" %
                      (pad, bit, field.width, field.start % 32, member))
        else:
            self.line("%sbad |= igen_put_uint(dw, %s, %d, %s);" % (pad, bit, field.width, member))

    def get(self, field, kind, bit, member, pad):
        s = self.struct_of(field)
        if s is not None:
            self.line("%s%s%s_get(dw + (%s) / 32, &%s);" % (pad, self.prefix, ident(s.name), bit, member))
            return
        call = "igen_get_int" if kind in ("int", "sfixed") else "igen_get_bits"
        shift = " << %d" % (field.start % 32) if kind == "address" and field.start % 32 else ""
        self.line("%s%s = %s(dw, %s, %d)%s;" % (pad, member, call, bit, field.width, shift))

    def put_get(self, name, cmd, variable):
        length, loops = cmd.length_field(), self.loops(cmd)
        index = ", ".join("i%d" % n for n in range(loops))
        self.line("static inline bool %s_put(__u32 *dw, const struct %s *v)" % (name, name))
        self.line("{")
        if loops:
            self.line("\tunsigned int %s;" % index)
        self.line("\tbool bad = false;")
        self.line()
        at = len(self.out)
        self.walk(cmd.items, length, variable, self.put)
        if len(self.out) == at:
            self.line("\t(void)dw;")
            self.line("\t(void)v;")
        self.line("\treturn bad;")
        self.line("}")
        self.line()
        self.line("static igen_inline void %s_get(const __u32 *dw, struct %s *v)" % (name, name))
        self.line("{")
        if loops:
            self.line("\tunsigned int %s;" % index)
            self.line()
        at = len(self.out)
        self.walk(cmd.items, length, variable, self.get)
        if len(self.out) == at:
            self.line("\t(void)dw;")
            self.line("\t(void)v;")
        self.line("}")
        self.line()

    def fixed_pack(self, name, upper, cmd):
        n = cmd.length
        length = cmd.length_field()
        header = upper + "_OPCODE" + (" | %du" % (n - cmd.bias) if length is not None else "")
        self.line("static inline int %s_pack(__u32 *dw, unsigned int room, const struct %s *v)" % (name, name))
        self.line("{")
        self.line("\tif (room < %d)" % n)
        self.line("\t\treturn -ENOSPC;")
        self.line("\tmemset(dw, 0, %d * sizeof(*dw));" % n)
        self.line("\tdw[0] = %s;" % header)
        self.line("\treturn %s_put(dw, v) ? -ERANGE : %d;" % (name, n))
        self.line("}")
        self.line()

    def variable_pack(self, name, upper, cmd):
        extent = cmd.extent()
        low, high = cmd.min or extent, cmd.max
        self.line("static inline int %s_pack(__u32 *dw, unsigned int room, const struct %s *v)" % (name, name))
        self.line("{")
        self.line("\tunsigned int n = v->dword_length + %d;" % cmd.bias)
        self.line("\t__u32 all[%d] = { %s_OPCODE };" % (extent, upper))
        self.line()
        if high is not None:
            self.line("\tif (n < %d || n > %d)" % (low, high))
        else:
            self.line("\tif (n < %d)" % low)
        self.line("\t\treturn -EINVAL;")
        self.line("\tif (room < n)")
        self.line("\t\treturn -ENOSPC;")
        self.line("\tif (%s_put(all, v) || !igen_zero_dwords(all, n, %d))" % (name, extent))
        self.line("\t\treturn -ERANGE;")
        self.line("\tmemset(dw, 0, n * sizeof(*dw));")
        self.line("\tmemcpy(dw, all, (n < %d ? n : %d) * sizeof(*dw));" % (extent, extent))
        self.line("\treturn n;")
        self.line("}")
        self.line()

    def unpack(self, name, cmd):
        extent = cmd.extent()
        self.line("static inline void %s_unpack(const __u32 *dw, unsigned int n, struct %s *v)" % (name, name))
        self.line("{")
        self.line("\t__u32 all[%d] = { 0 };" % extent)
        self.line()
        self.line("\tmemcpy(all, dw, (n < %d ? n : %d) * sizeof(*dw));" % (extent, extent))
        self.line("\t%s_get(all, v);" % name)
        self.line("}")
        self.line()

    def tail(self, name, cmd):
        tail = cmd.tail()
        if tail is None or tail.size % 32:
            return
        element = Command(cmd.name, tail.items, length=tail.size // 32, struct=True)
        more = name + "_more"
        self.line("/* What follows dword %d, once each %d dwords. */" % (cmd.extent(), tail.size // 32))
        self.define(macro(more) + "_LENGTH", str(tail.size // 32))
        self.struct(more, element, False)
        self.line()
        self.put_get(more, element, False)

    def command(self, cmd):
        name, upper = self.prefix + ident(cmd.name), macro(self.prefix + cmd.name)
        cite = "; ".join(x for x in (cmd.section, cmd.source) if x)
        self.line("/* %s */" % cite.replace("*/", "* /"))
        if cmd.struct:
            self.define(upper + "_LENGTH", str(cmd.length))
            self.values(cmd, upper)
            self.struct(name, cmd, False)
            self.line()
            self.put_get(name, cmd, False)
            return
        match, mask = cmd.opcode()
        variable = cmd.length is None or cmd.min is not None or cmd.max is not None
        self.define(upper + "_OPCODE", "0x%08xu" % match)
        self.define(upper + "_MASK", "0x%08xu" % mask)
        self.define(upper + "_LENGTH", str(cmd.length or cmd.min or cmd.extent()))
        self.define(upper + "_BIAS", str(cmd.bias))
        if cmd.engines != GEN_ENGINES[self.db.gen]:
            self.line("/* engines: %s */" % ", ".join(cmd.engines))
        self.values(cmd, upper)
        if variable:
            length = cmd.length or cmd.min or cmd.extent()
            self.line("#define %s_INIT\t.dword_length = %d" % (upper, length - cmd.bias))
        self.struct(name, cmd, variable)
        self.line()
        self.put_get(name, cmd, variable)
        if variable:
            self.variable_pack(name, upper, cmd)
        else:
            self.fixed_pack(name, upper, cmd)
        self.unpack(name, cmd)
        self.tail(name, cmd)


def headers(db):
    """(file name, text) of each header of a generation."""
    groups = {"state": struct_order(db)}
    for c in sorted(db.instructions.values(), key=lambda c: c.name):
        groups.setdefault(group_of(c), []).append(c)
    for name, commands in sorted(groups.items()):
        w = Writer(db)
        guard = "_IGEN_PACK_%s_%s_H_" % (macro(db.tag), macro(name))
        w.line("/* SPDX-License-Identifier: MIT */")
        w.line("/* %s, %s: made by tools/cmdgen from xml/%s.xml; change that. */" % (db.name, name, db.tag))
        w.line("#ifndef " + guard)
        w.line("#define " + guard)
        w.line()
        w.line('#include "pack.h"')
        if name != "state":
            w.line('#include "%s_state.h"' % db.tag)
        w.line()
        for c in commands:
            w.command(c)
        w.line("#endif")
        yield "%s_%s.h" % (db.tag, name), "\n".join(w.out) + "\n"
