# SPDX-License-Identifier: MIT
"""
DOC: The validator's rules in C

rules/rules.xml holds conditions over fields and state; each becomes a C expression. The language is Python's, of integers: and,
or, not, comparisons, + - * / % (whole numbers), "a if c else b"; [Name] is a field of the command, [@n] its dword n,
$name is state. A rule that names a field which a generation's command has not, is an error here.
"""
import ast
import re
import xml.etree.ElementTree as ET

from .flatten import leaves
from .gen_tables import quote

GIVEN = {"length": "(__s64)n", "gen": "(__s64)c->set->gen", "engine": "(__s64)c->engine",
         "unprivileged": "(__s64)c->unprivileged", "ring": "(__s64)!c->level", "level": "(__s64)c->level",
         "wa": "(__s64)c->wa", "fresh": "(__s64)c->fresh", "is_noop": "(__s64)(index == NOOP)"}
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class RuleError(Exception):
    pass


class Compiler:
    """Expressions of one command; fields maps names to leaves."""

    def __init__(self, where, fields, state):
        self.where, self.fields, self.state = where, fields, state

    def text(self, source):
        if source is None:
            return None
        source = re.sub(r"\[@(\d+)\]", r"_dw(\1)", source)
        source = re.sub(r"\[([^\]]+)\]", r'_f("\1")', source)
        source = re.sub(r"\$(\w+)", r'_s("\1")', source)
        try:
            return self.node(ast.parse(source, mode="eval").body)
        except SyntaxError as e:
            raise RuleError("%s: %s: %s" % (self.where, source, e)) from e

    def node(self, n):
        if isinstance(n, ast.BoolOp):
            op = " && " if isinstance(n.op, ast.And) else " || "
            return "(" + op.join(self.node(v) for v in n.values) + ")"
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not):
            return "!" + self.node(n.operand)
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub):
            return "-" + self.node(n.operand)
        if isinstance(n, ast.BinOp) and type(n.op) in BINARY:
            return "(%s %s %s)" % (self.node(n.left), BINARY[type(n.op)], self.node(n.right))
        if isinstance(n, ast.Compare) and len(n.ops) == 1 and type(n.ops[0]) in COMPARE:
            return "(%s %s %s)" % (self.node(n.left), COMPARE[type(n.ops[0])], self.node(n.comparators[0]))
        if isinstance(n, ast.IfExp):
            return "(%s ? %s : %s)" % (self.node(n.test), self.node(n.body), self.node(n.orelse))
        if isinstance(n, ast.Constant) and isinstance(n.value, int):
            return str(n.value)
        if isinstance(n, ast.Name) and n.id in GIVEN:
            return GIVEN[n.id]
        if isinstance(n, ast.Call):
            return self.call(n.func.id, n.args[0].value)
        raise RuleError("%s: cannot compile %s" % (self.where, ast.dump(n)))

    def call(self, name, arg):
        if name == "_s":
            if arg not in self.state:
                raise RuleError("%s: no state %s" % (self.where, arg))
            return "c->state[%d]" % self.state.index(arg)
        if name == "_dw":
            return "(__s64)field(dw, n, %d, 32)" % (arg * 32)
        leaf = self.fields.get(arg)
        if leaf is None or leaf.count > 1:
            raise RuleError("%s: no field %s" % (self.where, arg))
        if leaf.kind == "int":
            return "signed_field(dw, n, %d, %d)" % (leaf.start, leaf.width)
        low = leaf.start % 32 if leaf.kind == "address" else 0
        return "(__s64)(field(dw, n, %d, %d)%s)" % (leaf.start, leaf.width, " << %d" % low if low else "")


class Rules:
    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.state = [s.get("name") for s in root.iter("state")]
        self.initial = [int(s.get("initial")) for s in root.iter("state")]
        self.rules = [r for r in root if r.tag == "rule"]
        self.effects = [e for e in root if e.tag == "effect"]
        for r in self.rules:
            for key in ("id", "gens", "on", "severity", "require", "section"):
                if r.get(key) is None:
                    raise RuleError("rule %s has no %s" % (r.get("id"), key))
            if r.get("severity") not in ("error", "warning") or not (r.text or "").strip():
                raise RuleError("rule %s: severity or text" % r.get("id"))

    def ids(self, gen=None):
        return sorted({r.get("id") for r in self.rules if gen is None or gen in r.get("gens").split()})


def targets(db, cmds, pattern):
    if pattern == "*":
        return None
    found = [i for i, c in enumerate(cmds) if re.fullmatch(pattern, c.name)]
    if not found:
        raise RuleError("%s: nothing is named %s" % (db.tag, pattern))
    return found


def statements(db, cmds, rules):
    """(for every command, by command, at the end): lists of C statements; and the rules of this generation."""
    mine = [r for r in rules.rules if db.gen in r.get("gens").split()]
    names = [r.get("id") for r in mine]
    if len(set(names)) != len(names):
        raise RuleError("%s: a rule is there twice" % db.tag)
    every, by, end, used = [], {}, [], []

    def fields_of(i):
        return {} if i is None else {x.name: x for x in leaves(db, cmds[i])}

    def rule(r, number, compiler):
        test = "!(%s)" % compiler.text(r.get("require"))
        if r.get("when"):
            test = "%s && %s" % (compiler.text(r.get("when")), test)
        return "if (%s)\n\t\tigen_check_fail(c, %d);" % (test, number)

    for number, r in enumerate(mine):
        where = "%s rule %s" % (db.tag, r.get("id"))
        used.append(r)
        if r.get("on") == "end":
            end.append(rule(r, number, Compiler(where, {}, rules.state)))
            continue
        found = targets(db, cmds, r.get("on"))
        if found is None:
            every.append(rule(r, number, Compiler(where, {}, rules.state)))
            continue
        for i in found:
            by.setdefault(i, []).append(rule(r, number, Compiler(where, fields_of(i), rules.state)))
    after, after_by = [], {}
    for e in rules.effects:
        if db.gen not in e.get("gens").split():
            continue
        found = targets(db, cmds, e.get("on"))
        for i in [None] if found is None else found:
            compiler = Compiler("%s effect on %s" % (db.tag, e.get("on")), fields_of(i), rules.state)
            line = "c->state[%d] = %s;" % (rules.state.index(e.get("set")), compiler.text(e.get("value")))
            if e.get("when"):
                line = "if (%s)\n\t\t%s" % (compiler.text(e.get("when")), line)
            (after if found is None else after_by.setdefault(i, [])).append(line)
    return every, by, after, after_by, end, used


def text(db, rules):
    cmds = sorted(db.instructions.values(), key=lambda c: c.name)
    every, by, after, after_by, end, used = statements(db, cmds, rules)
    noop = [i for i, c in enumerate(cmds) if c.name.startswith("MI_NOOP")]
    out = ["// SPDX-License-Identifier: MIT", "/* Made by tools/cmdgen from rules/rules.xml; change that. */",
           '#include "check.h"', "", "#define NOOP %du" % noop[0], ""]
    out.append("static const struct igen_rule rules[] = {")
    for r in used:
        out.append("\t{ %s, %s, %s, IGEN_%s }," % (quote(r.get("id")), quote(r.get("section")),
                                                   quote(" ".join(r.text.split())), r.get("severity").upper()))
    out += ["};", "", "static const __s64 initial[] = { %s };" % ", ".join(str(v) for v in rules.initial), ""]
    out += ["static inline __u64 field(const __u32 *dw, unsigned int n, unsigned int start, unsigned int width)", "{",
            "\treturn start + width > n * 32 ? 0 : igen_get_bits(dw, start, width);", "}", ""]
    if any("signed_field" in s for group in by.values() for s in group):
        out += ["static inline __s64 signed_field(const __u32 *dw, unsigned int n, unsigned int start, "
                "unsigned int width)", "{",
                "\treturn start + width > n * 32 ? 0 : igen_get_int(dw, start, width);", "}", ""]
    out += ["static void command(struct igen_check *c, unsigned int index, const __u32 *dw, unsigned int n)", "{"]
    out += ["\t" + s for s in every]
    for table, rest in ((by, None), (after_by, after)):
        if rest:
            out += ["\t" + s for s in rest]
        out.append("\tswitch (index) {")
        for i in sorted(table):
            out.append("\tcase %d: /* %s */" % (i, cmds[i].name))
            out += ["\t" + s.replace("\n", "\n\t") for s in table[i]]
            out.append("\t\tbreak;")
        out += ["\tdefault:", "\t\tbreak;", "\t}"]
    out += ["}", "", "static void end(struct igen_check *c)", "{"]
    out += ["\t" + s for s in end]
    out += ["}", "", "const struct igen_rule_set igen_rules_%s = {" % db.tag,
            "\trules, %d, initial, %d, command, end" % (len(used), len(rules.initial)), "};"]
    return "\n".join(out) + "\n"
