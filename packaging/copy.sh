# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The checkout as it is released. Sourced after tests/lab/common.sh.

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")

# copy_sources DIR: without what is built and what is git's.
copy_sources()
{
	mkdir -p "$1"
	rsync -a --exclude=/build --exclude=/.git --exclude=.gitignore \
		--filter='dir-merge,- .gitignore' "$top/" "$1/"
}
