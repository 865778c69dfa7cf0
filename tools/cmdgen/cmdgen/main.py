# SPDX-License-Identifier: MIT
"""The command line."""
import argparse
import os
import sys

from . import (check, gen_docs, gen_isa, gen_names, gen_neutral, gen_pack, gen_parse, gen_regs, gen_rules, gen_shims, gen_tables,
               importer, isa, regs, state, stats)
from .model import load

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENS = ("6", "7", "9", "12")


def database(gen):
    return load(os.path.join(HERE, "xml", "gen%s.xml" % gen))


def databases():
    return [database(g) for g in GENS]


def write(path, text):
    """What does not change keeps its time, so that nothing is compiled again for it."""
    try:
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".new", path)


def do_import(args):
    done = importer.build(args.prm, args.genxml, HERE, lambda text: print(text, file=sys.stderr))
    importer.write(done, HERE)
    return 0


def registers():
    return regs.Database(os.path.join(HERE, "regs"))


def rules():
    return gen_rules.Rules(os.path.join(HERE, "rules", "rules.xml"))


def neutrals():
    return gen_neutral.Neutrals(os.path.join(HERE, "neutral", "commands.xml"), GENS, database)


def instruction_set():
    return isa.Isa(os.path.join(HERE, "isa"))


def do_headers(args):
    pack = os.path.join(args.out, "include", "igen", "pack")
    parse = os.path.join(args.out, "include", "igen", "parse")
    for name, text in gen_names.Names(os.path.join(HERE, "names", "gen9.xml"), database).headers():
        write(os.path.join(args.out, "include", "igen", "cmd", name), text)
    for file in sorted(os.listdir(os.path.join(HERE, "parse"))):
        for name, text in gen_parse.Parsers(os.path.join(HERE, "parse", file), database).headers():
            write(os.path.join(parse, name), text)
    for name, text in neutrals().headers():
        write(os.path.join(pack, name), text)
    write(os.path.join(pack, "isa_ids.h"), gen_isa.ids(instruction_set()))
    for name, text in gen_regs.headers(registers()):
        write(os.path.join(args.out, "include", "igen", "regs", name), text)
    for db in databases():
        wrong = list(check.check(db))
        if wrong:
            print("\n".join(wrong), file=sys.stderr)
            return 1
        for name, text in gen_pack.headers(db):
            write(os.path.join(pack, name), text)
    for folder, name in ((pack, "pack.h"), (pack, "igen_cmd.h"), (pack, "igen_reg.h"), (pack, "igen_isa.h"), (parse, "parse.h")):
        with open(os.path.join(HERE, "runtime", name), encoding="utf-8") as f:
            write(os.path.join(folder, name), f.read())
    return 0


def do_generate(args):
    every = rules()
    status = do_headers(args)
    if status:
        return status
    known = registers()
    for gen in known.gens:
        write(os.path.join(args.out, "tables", "regs_gen%s.c" % gen), gen_regs.text(known, gen, database(gen).name))
        write(os.path.join(args.out, "shims", "regs_gen%s.c" % gen), gen_regs.cases(known, gen))
    write(os.path.join(args.out, "tables", "isa.c"), gen_isa.Tables(instruction_set()).text())
    write(os.path.join(args.out, "shims", "neutral.c"), neutrals().cases())
    states = state.States(os.path.join(HERE, "neutral", "state.xml"), databases())
    for db in databases():
        write(os.path.join(args.out, "tables", "tables_%s.c" % db.tag), gen_tables.Tables(db, states).text())
        write(os.path.join(args.out, "tables", "rules_%s.c" % db.tag), gen_rules.text(db, every))
        write(os.path.join(args.out, "shims", "shims_%s.c" % db.tag), gen_shims.text(db))
    return 0


def do_docs(args):
    for db in databases():
        for name, text in gen_docs.pages(db):
            write(os.path.join(args.out, name), text)
    return 0


def do_check(_):
    wrong = [w for db in databases() for w in check.check(db)]
    print("\n".join(wrong + ["%d commands checked, %d faults; %d registers" %
                             (sum(len(db.instructions) for db in databases()), len(wrong), len(registers().registers))]))
    return 1 if wrong else 0


def do_stats(_):
    print("\n".join(stats.report(databases(), HERE, rules())))
    return 0


def main(argv):
    parser = argparse.ArgumentParser(prog="cmdgen.py", description="The command database's tool")
    sub = parser.add_subparsers(dest="what", required=True)
    p = sub.add_parser("import", help="make xml/ from the manuals' texts")
    p.add_argument("--prm", required=True, help="directory of the manuals as text")
    p.add_argument("--genxml", required=True, help="directory of Mesa's genxml, of before its dword= form")
    p.set_defaults(run=do_import)
    p = sub.add_parser("generate", help="headers, decode tables, validator and test shims")
    p.add_argument("--out", required=True)
    p.set_defaults(run=do_generate)
    p = sub.add_parser("headers", help="igen/cmd, igen/pack, igen/parse and igen/regs alone: what the module needs")
    p.add_argument("--out", required=True)
    p.set_defaults(run=do_headers)
    p = sub.add_parser("docs", help="reference pages")
    p.add_argument("--out", required=True)
    p.set_defaults(run=do_docs)
    p = sub.add_parser("check", help="look for faults in the database")
    p.set_defaults(run=do_check)
    p = sub.add_parser("stats", help="figures of the database")
    p.set_defaults(run=do_stats)
    args = parser.parse_args(argv)
    return args.run(args)
