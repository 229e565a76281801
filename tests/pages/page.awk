# SPDX-License-Identifier: GPL-2.0-only
#
# Turns a page of docs/ into what a machine can do: a line per step, of fields
# that are separated by tabs. A step is one of
#
#   title	PAGE: TITLE		a recipe begins
#   type	MACHINE	COMMAND		typed there, as the page shows it
#   shows	LINE			which the last command must have printed
#   test	WORDS			what a comment "<!-- test: WORDS -->" says
#   text	LINE			of a block that follows such a comment
#
# A block of console has prompts, "MACHINE# ". What follows a command is what it
# prints; a line of "..." stands for others.
BEGIN { OFS = "\t" }

FNR == 1 {
	page = FILENAME
	gsub(/.*\/|\.md$/, "", page)
}
/^## / {
	print "title", page ": " substr($0, 4)
	next
}
/^<!-- test: .* -->$/ {
	sub(/^<!-- test: /, "")
	sub(/ -->$/, "")
	print "test", $0
	next
}
/^```/ {
	inside = inside ? "" : ($0 == "```console" ? "console" : "text")
	if (!inside)
		print "end"
	next
}
inside == "text" {
	print "text", $0
}
inside == "console" && /^[a-z0-9]+# / {
	machine = $1
	sub(/#$/, "", machine)
	print "type", machine, substr($0, length($1) + 2)
	next
}
inside == "console" && $0 != "..." {
	print "shows", $0
}
