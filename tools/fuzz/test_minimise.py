#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of minimise.py against reports that are made up: one result line each."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from minimise import minimise  # noqa: E402

FAILED = []


def check(name, condition, why):
    """Prints a result line."""
    if condition:
        print(f'ok minimise/{name}')
    else:
        print(f'not ok minimise/{name}: {why}')
        FAILED.append(name)


def programs(count, length, seed):
    """Returns programs of calls that do nothing."""
    numbers = random.Random(seed)
    return [[f'noise {numbers.randrange(1000)} {p}.{c}' for c in range(length)] for p in range(count)]


def in_order(lines, wanted):
    """Returns whether the wanted lines are there in that order."""
    rest = iter(lines)
    return all(line in rest for line in wanted)


class Oracle:
    """A kernel that reports when the wanted calls are made in their order in one program."""

    def __init__(self, wanted, tells=True):
        self.wanted, self.tells, self.runs = wanted, tells, 0

    def __call__(self, some):
        self.runs += 1
        for at, lines in enumerate(some):
            if in_order(lines, self.wanted):
                return True, at if self.tells else None
        return False, len(some) - 1 if self.tells else None


def main():
    """Runs all."""
    some = programs(24, 20, 1)
    wanted = ['make', 'use', 'crash']
    for at, line in zip((3, 9, 17), wanted):
        some[13].insert(at, line)

    oracle = Oracle(wanted)
    found, good = minimise(some, oracle, 60)
    check('three-calls-of-one-program', good and found == [wanted], f'{good}, {found}')
    check('few-tests', oracle.runs <= 40, f'{oracle.runs} tests')
    oracle = Oracle(wanted, tells=False)
    found, good = minimise(some, oracle, 80)
    check('nobody-knows-what-ran', good and found == [wanted], f'{good}, {found}')
    oracle = Oracle(wanted)
    found, good = minimise(some, oracle, 5)
    check('bounded', good and oracle.runs == 5 and len(found) < 24 and in_order(found[0], wanted), f'{oracle.runs}, {found}')
    for runs in (1, 7):
        oracle = Oracle(wanted)
        found, good = minimise(some, oracle, 60, lambda o=oracle, n=runs: o.runs >= n)
        check(f'out-of-time-{runs}', good and oracle.runs == runs and len(found) <= 24, f'{oracle.runs}, {found}')
    found, good = minimise(some, Oracle(['nothing']), 60)
    check('not-reproduced', not good and found == some, f'{good}')

    # Two programs, of which the first leaves something behind.
    pair = programs(12, 6, 2)
    pair[4].insert(2, 'leave')
    pair[9].insert(3, 'find')

    def two(some):
        left = False
        for at, lines in enumerate(some):
            if 'find' in lines and left:
                return True, at
            left = left or 'leave' in lines
        return False, None

    found, good = minimise(pair, two, 80)
    check('two-programs', good and found == [['leave'], ['find']], f'{good}, {found}')
    return 1 if FAILED else 0


if __name__ == '__main__':
    sys.exit(main())
