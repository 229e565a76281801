# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packages of a Debian release other than the machine's, fetched with an apt
# state of their own: adding a release to the machine's sources would upgrade
# its libc under its feet. Sourced after common.sh.

# From where the machine's own packages come, unless the caller knows better.
# shellcheck disable=SC2016 # apt's variable, not the shell's
mirror=${RBLK_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
	'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/*$' || :)}
mirror=${mirror%/}

# apt_of RELEASE COMMAND...: the apt tool COMMAND against RELEASE, which may be one
# of another architecture: bookworm-arm64.
apt_of()
{
	local state=$cache/apt/$1 tool=$2 arch=()

	case $1 in
	*-arm64) arch=(-o "APT::Architectures::=$(dpkg --print-architecture)"
			-o APT::Architectures::=arm64) ;;
	esac
	shift 2
	"$tool" -q ${arch[@]+"${arch[@]}"} -o Dir::Etc::sourcelist="$state/sources.list" \
		-o Dir::Etc::sourceparts="$state/empty" \
		-o Dir::Etc::preferencesparts="$state/empty" \
		-o Dir::State="$state/state" \
		-o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" \
		-o Dir::Cache::pkgcache="" -o Dir::Cache::srcpkgcache="" \
		-o Acquire::Check-Valid-Until=false \
		-o APT::Update::Error-Mode=any \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

# apt_update RELEASE: have package lists of RELEASE, at most a day old.
apt_update()
{
	local release=${1%-arm64} state=$cache/apt/$1
	local from=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg

	[ -z "$(find "$state/fresh" -mtime -1 2>/dev/null)" ] || return 0
	[ -n "$mirror" ] ||
		die "apt's sources name no Debian mirror: apt-get update, or set RBLK_MIRROR"
	mkdir -p "$state"/{empty,state/lists/partial,cache/archives/partial}
	: >>"$state/status"
	[ "$1" = "$release" ] || from="arch=${1##*-} $from"
	printf 'deb [%s] %s %s main\n' "$from" "$mirror" "$release" \
		>"$state/sources.list"
	case $release in
	sid) ;;
	*)	printf 'deb [%s] %s %s main\n' "$from" \
			"$mirror-security" "$release-security" \
			>>"$state/sources.list" ;;
	esac
	step "package lists of $1" apt_of "$1" apt-get update
	: >"$state/fresh"
}

# apt_version RELEASE PACKAGE: the version apt would install there. Parsing the
# lists takes a while, so the answer is kept as long as they are.
apt_version()
{
	local version memo=$cache/apt/$1/$2.version

	if [ "$memo" -nt "$cache/apt/$1/fresh" ]; then
		cat "$memo"
		return
	fi
	version=$(apt_of "$1" apt-cache policy "$2" |
		sed -n 's/^ *Candidate: //p')
	case $version in
	'' | '(none)') die "Debian $1 has no package $2 any more" ;;
	esac
	echo "$version" | tee "$memo"
}

# apt_fetch RELEASE PACKAGE DIR: unpack PACKAGE into DIR, not installed.
apt_fetch()
{
	local tmp

	tmp=$(mktemp -d "$cache/fetch.XXXXXX")
	(
		trap 'rm -rf "$tmp"' EXIT
		cd "$tmp"
		apt_of "$1" apt-get download "$2"
		dpkg-deb -x ./*.deb "$3"
	)
}
