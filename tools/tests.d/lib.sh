# SPDX-License-Identifier: MIT
# Sourced by the test scripts: result lines, and running things.

VM=tools/vm/igen-vm
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

pass()
{
	echo "ok $1"
}

fail()
{
	echo "not ok $1: $2"
}

skip()
{
	echo "skip $1: $2"
}

# step NAME COMMAND...: one result; the command's output is shown only when it fails
step()
{
	local name=$1 status log=$WORK/step-$BASHPID
	shift
	"$@" > "$log" 2>&1
	status=$?
	if [ $status = 0 ]; then
		pass "$name"
		return 0
	fi
	tail -n 40 "$log"
	fail "$name" "exit status $status: $(grep -m 1 -iE 'error|not ' "$log" || tail -n 1 "$log")"
	return 1
}

# subcounts NAME COMMAND...: for a command that ends with "N passed, N failed, N skipped": as many results
subcounts()
{
	local name=$1 status last n log=$WORK/step-$BASHPID
	shift
	"$@" > "$log" 2>&1
	status=$?
	last=$(grep -E '^[0-9]+ passed, ' "$log" | tail -n 1)
	if ! [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		tail -n 40 "$log"
		fail "$name" "it prints no totals (exit status $status)"
		return 1
	fi
	local good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]} left=${BASH_REMATCH[3]}
	grep -E '(^|: )(not ok|FAIL|skip) ' "$log" | sed 's/^/# /'
	for ((n = 1; n <= good; n++)); do
		pass "$name/$n"
	done
	for ((n = 1; n <= bad; n++)); do
		fail "$name/failure-$n" "see above"
	done
	for ((n = 1; n <= left; n++)); do
		skip "$name/skip-$n" "see above"
	done
	if [ $bad = 0 ] && [ $status != 0 ]; then
		fail "$name" "exit status $status"
	fi
	return $status
}
