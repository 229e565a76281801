# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The checkout as it is released. Sourced after tests/lab/common.sh, which sets top.

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")

# Without what is built and what is git's own.
sources=(--exclude=/build --exclude=/.git --filter=':- .gitignore')

# copy_sources DIR: without .gitignore, too.
copy_sources()
{
	mkdir -p "$1"
	rsync -a --exclude=.gitignore "${sources[@]}" "$top/" "$1/"
}

# list_sources: the files' names, one per line.
list_sources()
{
	rsync -nrl --out-format=%n "${sources[@]}" "$top/" "$top.none/" | grep -v '/$' | sort
}
