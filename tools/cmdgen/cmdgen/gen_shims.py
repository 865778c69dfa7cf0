# SPDX-License-Identifier: MIT
"""
DOC: Shims for the round-trip test: each calls a packer and takes the fields' values as one array

The array has a value for each element of each settable field, in the order of the decode table; the shim puts
them into the struct's members and packs. So the test walks the tables and needs no knowledge of the structs.
"""
from .flatten import ident, leaves
from .gen_pack import ctype, group_of
from .model import struct_order


def shim(db, cmd, out):
    name = "%s_%s" % (db.tag, ident(cmd.name))
    variable = not cmd.struct and (cmd.length is None or cmd.min is not None or cmd.max is not None)
    out.append("static int shim_%s(__u32 *dw, unsigned int room, const __u64 *x)" % name)
    out.append("{")
    out.append("\tstruct %s v;" % name)
    found = [x for x in leaves(db, cmd) if x.settable]
    if any(x.count > 1 for x in found):
        out.append("\tunsigned int i;")
    out.append("")
    out.append("\tmemset(&v, 0, sizeof(v));")
    n = 0
    for x in found:
        cast = "!!" if x.kind == "bool" else "(%s)" % ctype(x.kind, x.width)
        path = list(x.path)
        if x.count > 1:
            path[x.depth] += "[i]"
            out.append("\tfor (i = 0; i < %d; i++)" % x.count)
            out.append("\t\tv.%s = %sx[%d + i];" % (".".join(path), cast, n))
        elif x.kind != "length" or variable:
            if x.depth is not None:
                path[x.depth] += "[0]"
            out.append("\tv.%s = %sx[%d];" % (".".join(path), cast, n))
        n += x.count
    if not n:
        out.append("\t(void)x;")
    if cmd.struct:
        out.append("\tif (room < %d)" % cmd.length)
        out.append("\t\treturn -ENOSPC;")
        out.append("\tmemset(dw, 0, %d * sizeof(*dw));" % cmd.length)
        out.append("\treturn %s_put(dw, &v) ? -ERANGE : %d;" % (name, cmd.length))
    else:
        out.append("\treturn %s_pack(dw, room, &v);" % name)
    out.append("}")
    out.append("")
    return n


def text(db):
    cmds = sorted(db.instructions.values(), key=lambda c: c.name)
    structs = struct_order(db)
    out = ["// SPDX-License-Identifier: MIT", "/* Made by tools/cmdgen for its round-trip test. */",
           '#include "shims.h"']
    out += ['#include "%s_%s.h"' % (db.tag, g) for g in sorted({group_of(c) for c in cmds + structs})] + [""]
    counts = [shim(db, c, out) for c in cmds + structs]
    out.append("const struct igen_shim igen_shims_%s[] = {" % db.tag)
    for c, n in zip(cmds + structs, counts):
        out.append("\t{ shim_%s_%s, %d }," % (db.tag, ident(c.name), n))
    out += ["};"]
    return "\n".join(out) + "\n"
