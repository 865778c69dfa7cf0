# SPDX-License-Identifier: MIT
"""Makes a list of programs, each a list of calls, as small as it goes while a test of it holds.

A test is a boot of a guest, so their number and time are bounded: when these are used up, the smallest list so far is the
answer.
"""


class Spent(Exception):
    """All the tests that were allowed have been made, or there is no more time."""


class _Tests:
    """Counts the tests, and makes none twice."""

    def __init__(self, test, limit, over):
        self.test = test
        self.over = over
        self.left = limit
        self.known = {}

    def __call__(self, programs):
        key = tuple(tuple(lines) for lines in programs)
        if key not in self.known:
            if not self.left or (self.known and self.over()):
                raise Spent
            self.left -= 1
            self.known[key] = self.test(programs)
        return self.known[key]


def _smaller(items, holds):
    """Yields each smaller list for which holds(list) is true: halves, quarters, ... are taken out, down to single items."""
    chunk = (len(items) + 1) // 2
    while chunk:
        at, removed = 0, False
        while at < len(items) and len(items) > 1:
            rest = items[:at] + items[at + chunk:]
            if rest and holds(rest):
                items, removed = rest, True
                yield items
            else:
                at += chunk
        if chunk == 1 and not removed:
            return
        chunk = chunk if chunk == 1 else (chunk + 1) // 2


def minimise(programs, test, limit, over=lambda: False):
    """Returns the smallest list of programs found, and whether the test ever held.

    test(programs) returns whether it holds and, if it knows, the place in the list of the program that was running. At most
    limit tests are made, and none but the first once over() says that the time is.
    """
    tests = _Tests(test, limit, over)
    best = [list(lines) for lines in programs]
    try:
        good, at = tests(best)
        if not good:
            return best, False
        # The program that was running is the first suspect; then with more and more of the programs before it.
        count = 1
        while at is not None and 0 <= at < len(best) and count < len(best):
            some = best[max(0, at + 1 - count):at + 1]
            if tests(some)[0]:
                best = some
                break
            if count > at:
                break
            count *= 2
        for smaller in _smaller(best, lambda some: tests(some)[0]):
            best = smaller
        for number in range(len(best)):
            def holds(lines, number=number):
                return tests(best[:number] + [lines] + best[number + 1:])[0]

            for lines in _smaller(best[number], holds):
                best = best[:number] + [lines] + best[number + 1:]
    except Spent:
        pass
    return best, True
