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

# built NAME COMMAND...: like step, and fails for a warning of any tool, too
built()
{
	local name=$1 warning log=$WORK/built-$BASHPID
	shift
	step "$name" bash -o pipefail -c '"$@" 2>&1 | tee "$0"' "$log" "$@" > "$log.result"
	if grep -q '^ok ' "$log.result" && warning=$(grep -m 1 -iE '\bwarning: ' "$log"); then
		fail "$name" "$warning"
	else
		cat "$log.result"
	fi
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

# well_awake NAME COUNTERS: one result: the driver accessed no register of a power well that may have slept
well_awake()
{
	step "$1" python3 -c "if True:
		import json, sys
		missing = json.load(open(sys.argv[1]))['forcewake_missing']
		sys.exit('not awake: %s' % missing if missing['total'] else 0)
		" "$2"
}

# installed FILE:PACKAGE...: makes sure that files of the distribution's packages are there; fails where they cannot be installed
installed()
{
	(. tools/setup/lib.sh && need_packages "$@") > "$WORK/apt" 2>&1
}

# kept NAME OPTIONS FILES COMMAND...: the result lines of a command whose guests run without igen. They are kept in the cache
# when all is good, under a key made of OPTIONS and FILES (words of tools/vm/reference.py), and the command is not run again.
kept()
{
	local name=$1 log=$WORK/kept-$BASHPID path
	# shellcheck disable=SC2086
	path=$(tools/vm/reference.py $2 $3) || { fail "$name" "no key for its results"; return; }
	shift 3
	# Another run may remove it at any time, to make room.
	if cp "$path" "$log" 2> /dev/null; then
		echo "# $name: results of an earlier run with the same inputs"
		cat "$log"
		return
	fi
	"$@" > "$log"
	cat "$log"
	grep -q '^not ok ' "$log" || ! grep -q '^ok ' "$log" || { cp "$log" "$path.$BASHPID" && mv "$path.$BASHPID" "$path"; }
}

# kept_files NAME OPTIONS FILES OUTPUTS COMMAND...: as kept, of a command that also leaves the files OUTPUTS below $WORK.
kept_files()
{
	local name=$1 outputs=$4 log=results-$BASHPID path
	# shellcheck disable=SC2086
	path=$(tools/vm/reference.py $2 $3) || { fail "$name" "no key for its results"; return 1; }
	shift 4
	mkdir -p "$WORK/$log"
	if tar -xzf "$path" -C "$WORK/$log" 2> /dev/null; then
		echo "# $name: results of an earlier run with the same inputs"
		cat "$WORK/$log/results"
		# shellcheck disable=SC2086
		(cd "$WORK/$log" && cp --parents $outputs "$WORK/")
		return
	fi
	"$@" > "$WORK/$log/results"
	cat "$WORK/$log/results"
	! grep -q '^not ok ' "$WORK/$log/results" && grep -q '^ok ' "$WORK/$log/results" || return 1
	# shellcheck disable=SC2086
	(cd "$WORK" && cp --parents $outputs "$log/") && tar -czf "$path.$BASHPID" -C "$WORK/$log" results $outputs && mv "$path.$BASHPID" "$path"
	return 0
}

# unchanged NAME PATHS COMMAND...: the result lines of a command without a guest, whose results depend on the files below PATHS,
# the compilers, python, the kernels' headers and this file alone. They are kept in the cache when all is good, under a hash of these, and the
# command is not run again for the same. IGEN_FRESH=1 in the environment runs it all the same.
unchanged()
{
	local name=$1 paths=$2 log=$WORK/unchanged-$BASHPID kept=${IGEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/igen}/passed hash
	shift 2
	# shellcheck disable=SC2086
	hash=$({
		gcc --version; clang --version; python3 --version; uname -m
		cat "${IGEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/igen}"/kernels/6.*/version; printf '%s\n' "$@" | sed "s#$PWD##g"
		git ls-files -z --cached --others --exclude-standard -- tools/tests.d/lib.sh $paths | sort -zu | xargs -0 sha256sum
	} 2> /dev/null | sha256sum | cut -c1-32)
	mkdir -p "$kept" && find "$kept" -type f -mtime +60 -delete
	kept=$kept/$name-$hash
	if [ -z "${IGEN_FRESH:-}" ] && cp "$kept" "$log" 2> /dev/null; then
		echo "# $name: results of an earlier run of the same sources"
		cat "$log"
		return
	fi
	"$@" > "$log"
	cat "$log"
	! grep -q '^not ok ' "$log" && grep -q '^ok ' "$log" || return 1
	cp "$log" "$kept.$BASHPID" && mv "$kept.$BASHPID" "$kept"
}

# quick_list: prints what of first-light.list takes seconds. The others, which take nine tenths of the time, run on 6.1 alone:
# they fill memory or loop for half a minute, or load the driver of every GPU that the distribution knows (all-cards).
quick_list()
{
	local long='gem_create@(create-clear|busy-create|hog-create)|gem_mmap_offset@(clear|clear-via-pagefault|open-flood)'
	grep -vE "^(gem_exec_parallel|$long|core_getversion@all-cards)( |$|@)" igt-tests/lists/first-light.list
}

# debug_kernel [FLAVOUR]: makes sure that the guest kernel with debugging aids (debug or kcsan) is in the cache, which
# takes a build of many minutes the first time. With IGEN_NO_KERNEL_BUILD set it is not built: a skip is counted instead,
# and a failure when it does not build. Fails unless the kernel is there: "debug_kernel || exit 0".
debug_kernel()
{
	local flavour=${1:-debug}
	if [ -n "${IGEN_NO_KERNEL_BUILD:-}" ]; then
		! tools/setup/kernel-build --check "$flavour" 2> /dev/null || return 0
		skip "kernel-$flavour" "the kernel is not in the cache, and IGEN_NO_KERNEL_BUILD is set"
		return 1
	fi
	SETUP_QUIET=1 tools/setup/kernel-build "$flavour" > "$WORK/kernel-$flavour" 2>&1 && return 0
	tail -n 10 "$WORK/kernel-$flavour"
	fail "kernel-$flavour" "$(tail -n 1 "$WORK/kernel-$flavour")"
	return 1
}

# debug_module [FLAVOUR]: builds igen.ko for that kernel, where "igen-vm --kernel FLAVOUR" finds it; one result. That for the debug
# kernel has the KUnit tests in it, which sleep unless the kernel is started with kunit.enable=1: one build serves all scripts.
debug_module()
{
	local flavour=${1:-debug} cache=${IGEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/igen} tests=
	[ "$flavour" != debug ] || tests=CONFIG_DRM_IGEN_KUNIT_TEST=y
	step "module-$flavour" make module KDIR="$cache/kernels/$flavour/build" KBUILD_ARGS="$tests"
}
