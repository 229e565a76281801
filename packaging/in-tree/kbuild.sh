# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the build of the series needs: Makefile, and what the KUnit suites link to. Sourced by make.

# objects MODULE: in the order of Kbuild, named as the kernel has them.
# shellcheck disable=SC2016 # expands in make
objects()
{
	printf 'src := %s\ninclude $(src)/Kbuild\nprint:\n\t@echo $(%s-y)\n' \
		"$top" "$1" |
		make -s --no-print-directory -f - print |
		tr ' ' '\n' | sed 's|^driver/|initiator/|'
}

# layers MODULE: its folders, the lowest first.
layers()
{
	objects "$1" | sed -n 's|^[a-z]*/\(.*\)/[^/]*$|\1|p' | awk '!seen[$0]++'
}

# makefile FOLDER MODULE CONFIG: its part of the Makefile.
# shellcheck disable=SC2016 # expands in make
makefile()
{
	local layer

	printf '\n'
	[ "$1" != initiator ] ||
		printf '# define_trace.h includes trace.h by its bare name.\n'
	sed -n "s|^CFLAGS_${1/initiator/driver}/|CFLAGS_$1/|;
		s|/${1/initiator/driver}\$|/$1|;/^CFLAGS_$1/p" "$top/Kbuild"
	printf '%s-y := %s\n' "$2" "$(objects "$2" | grep "^$1/[^/]*$" | paste -s -d ' ')"
	for layer in $(layers "$2"); do
		objects "$2" | sed -n "\\|^$1/$layer/|p" | paste -s -d ' ' |
			fold -s -w 68 | sed -e 's/ *$/ \\/' -e '$s/ \\$//' \
			-e "1s/^/$2-y += /" -e '2,$s/^/\t/'
	done
	printf 'obj-$(CONFIG_%s) += %s.o\n' "$3" "$2"
}

# exported: KUnit gets what it calls of the pure files.
exported()
{
	local file name names

	sed -n 's|^#include "\.\./\(.*/proto/.*\.c\)"$|\1|p' "$parts"/tests/*.c |
		sort -u | while read -r file; do
		file=$tree/$dir/$file
		names=$(sed -nE 's/^[a-z].*\b(rblkt?_[a-z_]+)\(.*/\1/p' "$file" |
			while read -r name; do
				! grep -qw "$name" "$parts"/tests/*.c || echo "$name"
			done | paste -s -d ' ')
		awk -v names=" $names " '
			/^[a-z].*\(/ { split($0, part, "("); n = split(part[1], word, /[ *]/)
				name = word[n] }
			{ print }
			/^}$/ && index(names, " " name " ") {
				print "EXPORT_SYMBOL_IF_KUNIT(" name ");"
				name = "" }' "$file" >"$work/exported"
		mv "$work/exported" "$file"
		include "$file" linux/export.h
		include "$file" kunit/visibility.h
	done
}

# suites: those of the pure files are linked with the modules; the others bring
# their own copies of the other files that they test, which leaves them modules.
# shellcheck disable=SC2016 # expands in make
suites()
{
	local file name whole=() alone=()

	for file in "$parts"/tests/*_kunit.c; do
		name=$(basename "$file" .c)
		if grep '^#include "\.\./.*\.c"$' "$file" | grep -qv /proto/; then
			alone+=("$name.o")
		else
			whole+=("$name.o")
		fi
		import "$file"
	done
	printf '\n# KUnit\n'
	printf 'obj-$(CONFIG_BLK_DEV_RBLK_KUNIT_TEST) += tests/%s\n' "${whole[@]}"
	[ ${#alone[@]} -gt 0 ] || return 0
	printf '\n# These have their own copies of what the target has.\n'
	printf 'ifeq ($(CONFIG_BLK_DEV_RBLK_KUNIT_TEST),m)\n'
	printf 'obj-m += tests/%s\n' "${alone[@]}"
	printf 'endif\n'
}

# import SUITE: headers instead of the pure files themselves.
import()
{
	local file

	sed -n 's|^#include "\.\./\(.*/proto/.*\.c\)"$|\1|p' "$1" | while read -r file; do
		sed -i "s|^#include \"\.\./$file\"|#include \"../${file%/*}/$(sed -n \
			's/^#include "\(.*\)"$/\1/p' "$parts/$file" | head -n 1)\"|" "$1"
	done
	awk '!/^#include/ || !seen[$0]++' "$1" >"$work/import"
	mv "$work/import" "$1"
	! grep -q '^#include "\.\./' "$1" ||
		echo 'MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");' >>"$1"
}
