#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs test programs that print "ok", "not ok" and "# SKIP" lines; prints failures and, last, the sums.
# usage: run.sh PROGRAM...
passed=0 failed=0 skipped=0
# The model's messages go elsewhere: one of them could land in the middle of a result line.
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
for program in "$@"; do
	out=$(timeout 600 "$program" 2> "$messages")
	status=$?
	ok=$(grep -c '^ok ' <<<"$out")
	skip=$(grep -c '^ok .*# SKIP' <<<"$out")
	bad=$(grep -c '^not ok ' <<<"$out")
	plan=$(sed -n 's/^1\.\.//p' <<<"$out")
	# A program that ends early, or fails without saying why, is a failure too.
	if { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; } || [ "${plan:-0}" -ne $((ok + bad)) ]; then
		bad=$((bad + 1))
		echo "$(basename "$program"): exit status $status after $((ok + bad - 1)) of ${plan:-?} tests"
		tail -n 20 <<<"$out"
		tail -n 20 "$messages"
	fi
	grep '^not ok ' <<<"$out" | sed "s|^|$(basename "$program"): |"
	printf '%-24s %u passed, %u failed, %u skipped\n' "$(basename "$program")" \
		$((ok - skip)) "$bad" "$skip"
	passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
