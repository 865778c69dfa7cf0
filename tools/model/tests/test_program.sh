#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Tests of the program itself: options, exit statuses, a child that stands for QEMU. IGEN_MODEL is the program.
model=${IGEN_MODEL:?}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0 failed=0

# check WHAT STATUS PATTERN COMMAND...: runs it and looks at its status and at what it prints
check() {
	local what=$1 status=$2 pattern=$3 out got
	shift 3
	out=$(timeout 600 "$@" 2>&1)
	got=$?
	n=$((n + 1))
	if [ "$got" -eq "$status" ] && grep -q -e "$pattern" <<<"$out"; then
		echo "ok $n $what"
	else
		echo "not ok $n $what: status $got, expected $status; printed: $out"
		failed=1
	fi
}

check "help lists the keys" 0 "fault_forcewake .*default" "$model" --help
check "size of stolen memory" 0 '^33554432$' "$model" --print-bdsm-size
check "size of stolen memory, set" 0 '^4194304$' "$model" --set stolen_mb=4 --print-bdsm-size
check "unknown option" 2 "help" "$model" --nonsense
check "unknown key" 2 "unknown key 'x'" "$model" --set x=1 -- true
check "bad value" 2 "stolen_mb" "$model" --set stolen_mb=7 -- true
check "missing file" 2 "No such file" "$model" --config "$dir/none" -- true
check "log that cannot be written" 2 "No such file" "$model" --log "$dir/none/log" -- true
check "no command" 2 "command" "$model"
check "unknown transport" 2 "transport" "$model" --transport pigeon -- true
check "socket without vfio-user" 2 "vfio-user" "$model" --socket "$dir/s" -- true
check "vfio-user without socket" 2 "socket" "$model" --transport vfio-user -- true
check "socket in a missing folder" 125 "No such file" \
	"$model" --transport vfio-user --socket "$dir/none/s" -- true
check "a command that is not there" 127 "nonexistent" "$model" -- /nonexistent/qemu
check "the child's status" 7 '' "$model" -- sh -c 'exit 7'
check "a child that was killed" 137 '' "$model" -- sh -c 'kill -9 $$'
check "the child has descriptors 100 and 101" 0 '' \
	"$model" -- sh -c 'test -S /proc/self/fd/100 && test -S /proc/self/fd/101'
check "vfio-user: the child never connects" 125 "before it connected" \
	"$model" --transport vfio-user --socket "$dir/s" -- true
check "half a message" 125 "cut short" "$model" -- bash -c 'printf abc >&100; exit 0'
check "nonsense" 125 "no sense" "$model" -- bash -c 'printf "%016d" 1 >&100; sleep 5'
check "counters at the end" 0 '"schema": 1' \
	sh -c '"$1" --counters "$2/c" -- true && cat "$2/c"' sh "$model" "$dir"
check "counters that cannot be written" 0 "No such file" "$model" --counters "$dir/none/c" -- true
# The child says when it runs; by then the model takes signals.
check "counters on SIGUSR1" 0 '"schema": 1' bash -c '
	mkfifo "$2/ready1"
	"$1" --counters "$2/u" -- sh -c "echo >\"$2/ready1\"; exec sleep 600" & pid=$!
	read -r <"$2/ready1"
	kill -USR1 $pid
	for i in $(seq 3000); do
		[ -s "$2/u" ] && break
		sleep 0.1
	done
	cat "$2/u"; kill $pid; wait $pid; true' bash "$model" "$dir"
check "SIGTERM ends the child and the run" 137 "signal 15" bash -c '
	mkfifo "$2/ready2"
	"$1" -- sh -c "echo >\"$2/ready2\"; exec sleep 600" & pid=$!
	read -r <"$2/ready2"
	kill -TERM $pid
	wait $pid' bash "$model" "$dir"
check "configuration file" 0 '^8388608$' bash -c \
	'echo "stolen_mb = 8 # MB" >"$2/conf"; "$1" --config "$2/conf" --print-bdsm-size' \
	bash "$model" "$dir"

echo "1..$n"
exit $failed
