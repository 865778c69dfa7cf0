# SPDX-License-Identifier: MIT
"""
DOC: The import: manuals' texts and, where they lack, public facts, to xml/genN.xml

It is run by hand when an importer or the overrides change; the texts are not part of the repository, its
result is. The same inputs give the same bytes.
"""
import os
import re

from . import bspec, kbl, snb
from .convert import Converter, tidy
from .facts import Facts
from .model import ENGINE_SUFFIX, ENGINES, Database, Field, Group, dump
from .overrides import Overrides

GENS = (("12", "DG1"), ("9", "KBL"), ("7", "IVB"), ("6", "SNB"))
FACTS = {"gen6.xml": "6", "gen7.xml": "7", "gen9.xml": "9", "gen12.xml": "12"}

SNB_SECTIONS = (("1.7.1", "MEDIA_VFE_STATE"), ("1.7.2", "MEDIA_CURBE_LOAD"),
                ("1.7.3", "MEDIA_INTERFACE_DESCRIPTOR_LOAD"), ("1.7.4", "INTERFACE_DESCRIPTOR_DATA"),
                ("1.7.5", "MEDIA_GATEWAY_STATE"), ("1.7.6", "MEDIA_STATE_FLUSH"), ("1.7.7", "MEDIA_OBJECT"),
                ("1.7.8", "MEDIA_OBJECT_PRT"), ("1.7.9", "MEDIA_OBJECT_WALKER"))
IVB_SECTIONS = (("1.8.1", "MEDIA_VFE_STATE"), ("1.8.2", "MEDIA_CURBE_LOAD"),
                ("1.8.3", "MEDIA_INTERFACE_DESCRIPTOR_LOAD"), ("1.8.4", "INTERFACE_DESCRIPTOR_DATA"),
                ("1.8.5", "MEDIA_STATE_FLUSH"), ("1.8.6", "MEDIA_OBJECT"), ("1.8.7", "MEDIA_OBJECT_PRT"),
                ("1.8.8", "MEDIA_OBJECT_WALKER"), ("1.8.9", "GPGPU_OBJECT"), ("1.8.10", "GPGPU_WALKER"))

HEADERS = {
    "12": ["Commands of Gen12 (Xe-LP): DG1 Vol 2a, Command Reference: Instructions, complete;",
           "bodies that it leaves to other volumes from public facts, marked by source."],
    "9": ["Commands of Gen9 (Kaby Lake, Apollo Lake). Their manuals at hand (KBL Vol 3, BXT Vol 6) name commands",
          "and hold no layouts: these are public facts or, where Gen9 shares them, DG1 Vol 2a; see source."],
    "7": ["Commands of Gen7 (Ivy Bridge): media and GPGPU from IVB Vol 2 Part 2, the rest from public facts, see source."],
    "6": ["Commands of Gen6 (Sandy Bridge): media from SNB Vol 2 Part 2, the rest from public facts, see source."],
}


def shape(c):
    """What makes two entries of one name the same command."""
    def walk(items):
        return tuple((i.name, i.start, i.end) if isinstance(i, Field) else (i.start, i.size, i.count, walk(i.items))
                     for i in items if not (isinstance(i, Field) and i.reserved))
    return c.opcode(), c.length, walk(c.items)


def merge_engines(commands):
    """The manual repeats a command for each engine; those alike become one, those that differ get the engine's suffix."""
    names = {}
    for c in commands:
        names.setdefault(c.name, []).append(c)
    out = []
    for name, group in names.items():
        kinds = {}
        for c in group:
            kinds.setdefault(shape(c), []).append(c)
        for same in kinds.values():
            c = same[0]
            c.engines = tuple(e for e in ENGINES if any(e in s.engines for s in same))
            c.entries = len(same)
            if len(kinds) > 1:
                c.command = name
                c.name = "%s_%s" % (name, ENGINE_SUFFIX[c.engines[0]])
            out.append(c)
    return out


def read_text(gen, prm, converter):
    """The commands and structures that the generation's own manual lays out."""
    if gen == "12":
        entries = bspec.read_reference(os.path.join(prm, "dg1-vol2a-instructions.txt"))
        return merge_engines([converter.command(e) for e in entries]), entries
    if gen == "7":
        entries = bspec.read_sections(os.path.join(prm, "ivb-vol2p2-media-gpgpu.txt"), IVB_SECTIONS)
    elif gen == "6":
        entries = snb.read_sections(os.path.join(prm, "snb-vol2p2-media.txt"), SNB_SECTIONS)
    else:
        return kbl.read_context_images(os.path.join(prm, "kbl-vol3-gpu-overview.txt")), []
    numbers = {name: n for n, name in (IVB_SECTIONS if gen == "7" else SNB_SECTIONS)}
    out = []
    for e in entries:
        c = converter.command(e, struct=e.name == "INTERFACE_DESCRIPTOR_DATA")
        c.section = "%s, %s %s" % (converter.section, numbers[e.name], e.name)
        out.append(c)
    return out, entries


VOLUMES = {"12": "DG1 Vol 2a", "9": "KBL Vol 3", "7": "IVB Vol 2 Part 2", "6": "SNB Vol 2 Part 2"}


def order(items):
    items.sort(key=lambda i: (i.start, i.end if isinstance(i, Field) else i.start))
    for i in items:
        if isinstance(i, Group):
            order(i.items)


def tidy_values(items):
    for i in items:
        if isinstance(i, Group):
            tidy_values(i.items)
        else:
            i.values = [(re.sub(r"[^\x20-\x7e]", "-", tidy(n)), v) for n, v in i.values]
            i.name = re.sub(r"[^\x20-\x7e]", "-", i.name or "Reserved")
            # Readers of genxml make members of all that is not "mbz": these need names of their own.
            if i.reserved and i.type == "uint":
                i.name = "Reserved %d" % i.start


def build(prm, genxml, here, log):
    """All databases, newest generation first, as later ones derive from it."""
    facts = {f: Facts(os.path.join(genxml, f), "Mesa genxml " + f) for f in FACTS}
    done = {}
    for gen, name in GENS:
        db = Database(name, gen)
        path = os.path.join(here, "overrides", "gen%s.xml" % gen)
        over = Overrides(path, db, facts, done)
        # Structures first: a Format may name one.
        for op in list(over.root.iter("fix")):
            for s in list(op):
                if s.tag == "structs":
                    over.op_structs(s, op.get("source"))
                    op.remove(s)
        converter = Converter(db, VOLUMES[gen], over.aliases())
        commands, entries = read_text(gen, prm, converter)
        for e in entries:
            for issue in e.table.issues:
                log("gen%s %s: %s" % (gen, e.name, issue))
        for c in commands:
            db.add(c)
        over.apply()
        for c in list(db.instructions.values()) + list(db.structs.values()):
            order(c.items)
            tidy_values(c.items)
            # A header cannot say less than its bias: then one element at least follows.
            if c.tail() is not None and not c.struct and (c.min or c.extent()) < c.bias:
                c.min = c.extent() + c.tail().size // 32
        log("gen%s: %d commands, %d structures, %d corrections" %
            (gen, len(db.instructions), len(db.structs), over.count))
        db.corrections = over.count
        done[gen] = db
    return done


def write(done, here):
    for gen, db in done.items():
        header = HEADERS[gen] + ["Made by \"cmdgen.py import\"; corrections belong into overrides/gen%s.xml." % gen]
        with open(os.path.join(here, "xml", "gen%s.xml" % gen), "w", encoding="utf-8") as f:
            f.write(dump(db, header))
