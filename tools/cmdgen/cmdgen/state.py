# SPDX-License-Identifier: MIT
"""
DOC: Which commands set a pipeline's state, and by which key their last packet is kept

neutral/state.xml holds, for all generations; a later element takes precedence:

  state  commands [draw] [walk]  patterns of commands whose last packet is kept; draw, walk: a draw or a walker depends on it
  none   commands          not so
  key    command, field    the command sets one of several, which the field numbers. If the field is in what repeats at the
                           command's end, each repetition is kept by itself
  merge  command           a packet changes a part of what is kept, and leaves the rest
         mask              the field's bits each enable a bit of dword 0, the lowest the lowest
         enables [always]  fields (a pattern) that enable the dwords from their own to the next such field's, or to that of
                           the field that always counts, if that has a dword to itself

A pattern that no generation has a command for is an error, and so is a field that no generation's command has.
"""
import re
import xml.etree.ElementTree as ET

from .flatten import leaves, tail_leaves


class BadState(Exception):
    pass


class States:
    def __init__(self, path, dbs):
        self.root = ET.parse(path).getroot()
        for n in self.root:
            pattern = n.get("commands") or n.get("command")
            found = [(db, c) for db in dbs for c in db.instructions.values() if re.fullmatch(pattern, c.name)]
            if not found:
                raise BadState("no generation has a command %s" % pattern)
            if n.tag == "key" and not any(self.key(db, c) for db, c in found):
                raise BadState("no %s has a field %s" % (pattern, n.get("field")))
            if n.tag == "merge" and not any(self.merges(db, c) for db, c in found):
                raise BadState("no %s has what tells which part of it is changed" % pattern)

    def kind(self, cmd):
        """NONE, KEPT, DRAWN or WALKED."""
        kind = "NONE"
        for n in self.root:
            if n.tag in ("state", "none") and re.fullmatch(n.get("commands"), cmd.name):
                kind = "NONE" if n.tag == "none" else "DRAWN" if n.get("draw") else "WALKED" if n.get("walk") else "KEPT"
        return kind

    def key(self, db, cmd):
        """(first bit, width, is it in what repeats), or None."""
        for n in self.root.findall("key"):
            if n.get("command") != cmd.name:
                continue
            for in_tail, found in ((0, leaves(db, cmd)), (1, (tail_leaves(db, cmd) or (0, []))[1])):
                for leaf in found:
                    if leaf.name == n.get("field") and leaf.count == 1 and leaf.start // 32 == (leaf.start + leaf.width - 1) // 32:
                        return leaf.start, leaf.width, in_tail
        return None

    def merges(self, db, cmd):
        """[(enabling bit, first bit, last bit that it enables)]"""
        found = []
        for n in self.root.findall("merge"):
            if n.get("command") != cmd.name:
                continue
            fields = leaves(db, cmd)
            for mask in (leaf for leaf in fields if leaf.name == n.get("mask")):
                found += [(mask.start + i, i, i) for i in range(mask.width)]
            if n.get("enables") is None:
                continue
            enables = [leaf.start for leaf in fields if re.fullmatch(n.get("enables"), leaf.name)]
            dwords = {start // 32 for start in enables}
            ends = dwords | {leaf.start // 32 for leaf in fields if leaf.name == n.get("always")} | {cmd.extent()}
            found += [(start, start // 32 * 32, min(dw for dw in ends if dw > start // 32) * 32 - 1) for start in enables]
        return found
