# SPDX-License-Identifier: MIT
# Shared by the set-up scripts: where the cache is, how to talk, how to unpack.
#
# Everything fetched lives in one cache folder (IGEN_CACHE, by default ~/.cache/igen): unpacked kernels, the IGT
# programs with their libraries, a newer QEMU. Nothing in it is installed on the machine, and all of it can be deleted
# and fetched again. A folder is complete when its stamp file is there; the stamp is written last.

set -euo pipefail

IGEN_CACHE=${IGEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/igen}
SETUP_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say()
{
	printf 'setup: %s\n' "$*" >&2
}

# Said when there was nothing to do.
say_idle()
{
	[ -n "${SETUP_QUIET:-}" ] || say "$*"
}

die()
{
	printf 'setup: error: %s\n' "$*" >&2
	exit 1
}

# One set-up at a time per cache: a second one waits for the first and then finds everything there.
lock_cache()
{
	mkdir -p "$IGEN_CACHE"
	exec 8>"$IGEN_CACHE/.lock-$1"
	flock -w 1800 8 || die "another set-up has held $IGEN_CACHE/.lock-$1 for 30 minutes"
}

# with_apt COMMAND...: runs it while no other set-up of this cache reads package lists or installs packages
with_apt()
{
	mkdir -p "$IGEN_CACHE"
	(
		flock -w 1800 7 || die "another set-up has held $IGEN_CACHE/.lock-apt for 30 minutes"
		"$@" 7>&-
	) 7> "$IGEN_CACHE/.lock-apt"
}

# apt_update OPTION...: reads the package lists anew. apt-get does not wait for another program that reads them
# (DPkg::Lock::Timeout is about packages), so it is asked again then.
apt_update()
{
	local try said

	for ((try = 0; try < 300; try++)); do
		if said=$(LC_ALL=C apt-get -q "$@" update 2>&1); then
			printf '%s\n' "$said" >&2
			return 0
		fi
		grep -q '^E: Could not get lock' <<< "$said" || break
		sleep 2
	done
	printf '%s\n' "$said" >&2
	return 1
}

# missing_packages FILE:PACKAGE...: sets missing to the packages whose files are not there
missing_packages()
{
	local need

	missing=()
	for need in "$@"; do
		[ -e "${need%%:*}" ] || missing+=("${need#*:}")
	done
}

# install_packages FILE:PACKAGE...: what need_packages does once it has apt to itself; another set-up may have installed them
install_packages()
{
	local missing

	missing_packages "$@"
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	# The lists of a fresh machine are old, or not there.
	apt_update -o DPkg::Lock::Timeout=600 || die "apt-get update failed"
	apt-get -q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${missing[@]}" >&2 ||
		die "apt-get could not install ${missing[*]}"
}

# need_packages FILE:PACKAGE...: installs the packages whose files are not there, from the machine's own archive
need_packages()
{
	local missing

	missing_packages "$@"
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "these packages are missing and only root can install them: apt-get install ${missing[*]}"
	with_apt install_packages "$@" || exit 1
}

# unpack_debs ROOT DEB...
unpack_debs()
{
	local root=$1 deb
	shift
	mkdir -p "$root"
	for deb in "$@"; do
		dpkg-deb -x "$deb" "$root" || die "cannot unpack $(basename "$deb")"
	done
}

# tree_archive: writes the tree as it is, with what is not committed, to standard output
tree_archive()
{
	(cd "$SETUP_DIR/../.." && git ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
		tar -c --mtime=@0 --null --files-from=-)
}

# apt_private DIR SUITE...: writes an apt configuration of its own under DIR, for suites that the machine's sources do
# not name, from the archive that they do name. Prints the options to give to apt-get.
apt_private()
{
	local dir=$1 uri signed= key
	shift

	uri=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(RELEASE) $(REPO_URI)' |
	      awk '$1 == "Packages" && $2 == "Debian" && $3 !~ /-security$/ { print $4; exit }')
	[ -n "$uri" ] || die "apt's configuration names no Debian archive (run apt-get update first)"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ ! -e "$key" ] || signed="[signed-by=$key] "
	mkdir -p "$dir/etc" "$dir/state/lists/partial" "$dir/cache/archives/partial" "$dir/etc/preferences.d" \
		 "$dir/etc/sources.list.d"
	# Another set-up may read them meanwhile.
	printf "deb $signed$uri %s main\n" "$@" > "$dir/etc/sources.list.$BASHPID"
	mv "$dir/etc/sources.list.$BASHPID" "$dir/etc/sources.list"
	: >> "$dir/state/status"
	printf '%s\n' \
		-o "Dir::Etc::sourcelist=$dir/etc/sources.list" \
		-o "Dir::Etc::sourceparts=$dir/etc/sources.list.d" \
		-o "Dir::Etc::preferences=$dir/etc/preferences" \
		-o "Dir::Etc::preferencesparts=$dir/etc/preferences.d" \
		-o "Dir::State=$dir/state" \
		-o "Dir::State::status=$dir/state/status" \
		-o "Dir::State::lists=$dir/state/lists" \
		-o "Dir::Cache=$dir/cache" \
		-o "APT::Sandbox::User=$(id -un)" \
		-o "Acquire::Languages=none" \
		-o "Debug::NoLocking=true" \
		-o "APT::Get::Assume-Yes=true"
}

# find_package PACKAGE SUITE: sets options to those with which apt-get and apt-cache know the package: none, or where the machine's
# sources do not have it those of apt_private for SUITE. Fails when SUITE does not have it either.
find_package()
{
	local dir=$IGEN_CACHE/apt-$2

	options=()
	! package_known "$1" || return 0
	mapfile -t options < <(apt_private "$dir" "$2")
	[ ${#options[@]} -gt 0 ] || exit 1
	! package_known "$1" || return 0
	with_apt apt_update "${options[@]}" || die "cannot read the package lists of $2"
	package_known "$1"
}

# package_known PACKAGE: whether apt-get with the options in options could download it
package_known()
{
	[ -n "$(apt-cache "${options[@]}" show --no-all-versions "$1" 2> /dev/null)" ]
}
