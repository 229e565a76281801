# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The sources as the kernel has them, below $parts: paths, includes, nothing of
# compat/. Sourced by make.

# rewrite FILE...: includes and paths are the kernel's; a module has no version of
# its own there.
rewrite()
{
	local header renames=()

	for header in "$top"/uapi/*.h; do
		header=${header##*/}
		renames+=(-e "s|^#include \"$header\"|#include <linux/$header>|")
	done
	sed -E -i "${renames[@]}" \
		-e '/^#include/s|/compat/|/common/|' \
		-e '/^#include/s|"(\.\./)+driver/|"../initiator/|' \
		-e '/^#include/s|"(\.\./)+target/|"../target/|' \
		-e 's,(^|[ (])driver/,\1initiator/,g' \
		-e 's|docs/protocol\.md|Documentation/block/rblk-protocol.rst|' \
		-e '/^\/\* compat\.h .*\*\/$/d' \
		-e '/^#define RBLKT?_VERSION\b/d' -e '/^MODULE_VERSION/d' \
		-e 's/\bRBLKT?_VERSION\b/init_utsname()->release/' "$@"
	sed -E -i -z 's|\n \*\n \* docs/[a-z]+\.md has the figures\.||' "$@"
}

# include FILE HEADER: before the first include that sorts after it.
include()
{
	awk -v line="#include <$2>" '/^#include/ && !done && ($0 > line || /"/) {
		print line; done = 1 } { print }' "$1" >"$work/include"
	cat "$work/include" >"$1"
}

# resolve: compat/ becomes what it is on this kernel. Of its macros nothing is
# left, its functions are ordinary ones. Of pr.h nothing is left: this kernel has all that
# it stands for.
resolve()
{
	local header using code=$((major << 16 | minor << 8))

	for header in "$top"/compat/*.h; do
		case ${header##*/} in
		compat.h | pr.h) continue ;;
		esac
		mkdir -p "$parts/common"
		perl -pe 's/KERNEL_VERSION\((\d+), (\d+), (\d+)\)/$1 << 16 | $2 << 8 | $3/e' \
			"$header" |
			unifdef -B -DLINUX_VERSION_CODE=$code \
			>"$parts/common/${header##*/}" || [ $? -eq 1 ]
	done
	mapfile -t using < <(grep -rlwE 'compat_[a-z0-9_]+|BLK_MQ_F_SHOULD_MERGE' \
		"$parts"/{auth,initiator,target,common,tests})
	spatch --sp-file "$here/compat.cocci" --in-place --very-quiet \
		--no-includes "${using[@]}" >/dev/null || die "compat.cocci does not apply"
	sed -E -i -e 's/\bcompat_(bdev|drain|free_cq|mr_page|quiesce_cq|x25519)/rblk_\1/g' \
		-e 's/\bRBLK_COMPAT_/RBLK_COMMON_/; s/\bCOMPAT_DRAIN/RBLK_DRAIN/g' \
		-e '/^#include <linux\/version\.h>$/d' -e '/^#include ".*\/pr\.h"$/d' \
		-e 's/^\tcompat_pr_reads\((\w+), (\w+)\)$/\t.pr_read_keys = \1,\n\t.pr_read_reservation = \2,/' \
		-e 's/^static int __maybe_unused( reserve_op_read|$)/static int\1/' \
		-e 's/, the same on all kernels\././' \
		"${using[@]}" "$parts"/common/*.h
}

# finish: parameters that are for tests only stay outside the kernel.
finish()
{
	local file

	while read -r file; do
		unifdef -B -URBLK_TEST "$file" >"$work/finished" || [ $? -eq 1 ]
		cat "$work/finished" >"$file"
	done < <(grep -rlw RBLK_TEST "$parts"/{auth,initiator,target})
}

# modernize: what older kernels do not have, by the kernel's own semantic patch.
modernize()
{
	grep -rlE '\bkv?[cmz]alloc(_array)?\(' "$parts" |
		xargs spatch --sp-file "$source/scripts/coccinelle/api/kmalloc_objs.cocci" \
		-D patch --in-place --very-quiet --no-includes >/dev/null ||
		die "kmalloc_objs.cocci does not apply"
}

prepare()
{
	local files file

	mkdir -p "$parts"
	cp -r "$top/auth" "$parts/auth"
	cp -r "$top/driver" "$parts/initiator"
	cp -r "$top/target" "$parts/target"
	cp -r "$top/uapi" "$parts/uapi"
	mkdir "$parts/tests"
	cp "$top"/tests/kunit/*.[ch] "$parts/tests"
	find "$parts" -type f ! -name '*.[ch]' -delete
	find "$parts" -name '*.mod.c' -delete
	sed -i -E '/RBLK_[A-Z]+_H\b/s/\bRBLK_/_UAPI_LINUX_RBLK_/' "$parts"/uapi/*.h
	mapfile -t files < <(find "$parts" -name '*.[ch]' | sort)
	rewrite "${files[@]}"
	# The suites are one folder higher there.
	sed -i 's,"\.\./\.\./\(auth\|common\)/,"../\1/,' "$parts"/tests/*.[ch]
	grep -rl 'init_utsname()' "$parts" | while read -r file; do
		include "$file" linux/utsname.h
	done
	resolve
	finish
	modernize
	for file in "${files[@]}"; do
		cat -s "$file" | sed -e '${/^$/d}' >"$work/file"
		cat "$work/file" >"$file"
	done
}

# What names a file that the kernel does not have, or that it has no use for.
check_parts()
{
	cd "$parts"
	! grep -rnE '\bcompat[./_]|COMPAT_|RBLK_TEST|LINUX_VERSION|MODULE_VERSION|(^|[ "(/])(docs|tools|driver|uapi|tests/[a-z]+)/|\.md\b|Kbuild' . |
		grep -vE '\.?compat_(ioctl|ptr_ioctl)' || die "the above is not for the kernel"
}
