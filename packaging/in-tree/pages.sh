# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The documents of the series, from those of the checkout. Sourced by make.

manual()
{
	sed -e 's/^\.IP \(\\\?-\?[0-9]\) 4$/.TP\n.B \1/' \
		-e 's/^\.I security\.md$/the documentation of rblkctl/' \
		"$top/tools/man/rblk.4" | sed -n "$1" |
		pandoc -f man -t rst --columns="$2" -L "$here/pages.lua"
}

guide()
{
	cat "$here/guide.rst"
	manual '/^\.SH DEVICES/,/^\.SH FILES/{/^\.SH FILES/!p}' 79
}

protocol()
{
	printf '.. SPDX-License-Identifier: GPL-2.0-only\n\n'
	sed 's|uapi/rblk_|include/uapi/linux/rblk_|' "$top/docs/protocol.md" |
		pandoc -f gfm -t rst --columns=79 -L "$here/pages.lua" | sed 's/ *$//'
}

# abi: one entry for each attribute in sysfs; the manual must know all of them.
abi()
{
	local attribute

	manual '/^\.SH ATTRIBUTES/,/^\.SH PARAM/{/^\.SH/!p}' 60 |
		awk -v date="$(date -d "@$date" '+%B %Y')" \
		-v series="$major.$((minor + 1))" '
		/^\*\*.*\*\*$/ {
			gsub(/\*/, "")
			printf "%sWhat:\t\t/sys/block/rblk<N>/%s\n", nr++ ? "\n" : "",
				$0 == "wwid" ? $0 : "rblk/" $0
			printf "Date:\t\t%s\nKernelVersion:\t%s\n", date, series
			printf "Contact:\tlinux-block@vger.kernel.org\n"
			first = 1
			gap = 0
			next
		}
		!nr { next }
		/^ / { sub(/^   /, ""); if (gap) print ""
			print (first ? "Description:\t" : "\t\t") $0; first = gap = 0; next }
		{ gap = !first && $0 == "" }' >"$work/abi"
	sed -nE 's/^\t&dev_attr_(.*)\.attr,/\1/p' \
		"$parts"/initiator/*/*.c | while read -r attribute; do
		grep -q "/rblk<N>/\(rblk/\)\?$attribute\$" "$work/abi" ||
			die "tools/man/rblk.4 does not tell the attribute $attribute"
	done
	cat "$work/abi"
}
