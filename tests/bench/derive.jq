# SPDX-License-Identifier: GPL-2.0-only
#
# From what was measured to what is printed: adds to each cell
#
#	per_io	guest ns, that is instructions, per I/O
#	added	per_io less that of the local device in the same run; all of it for
#		a floor, which has no block layer
#	ratio	added to nvme-rdma's in the same run
#	as_it_comes	the same to nvme-default's
#	over	added to the floor: the cheapest of those whose messages the mode may
#		use, which are all but read data in responses, unless it is asked for
#	idle	the part of the time in which no task ran: waits for timers, which
#		are no instructions
#	goal	the ratio wanted, and met: whether ratio is at most that
#
# A figure that has no counterpart in the run is null. $goals is an array of
# {column, mode, cell, goal}.

def is_floor: startswith("floor");

def index_by(f): map({key: f, value: .}) | from_entries;

def quotient(a; b):
	if a == null or b == null or b <= 0 then null else a / b end;

def derive($goals):
	(.cells | map(. + {per_io: (.ns / .ios)})) as $cells
	| ($cells | index_by("\(.column) \(.mode) \(.cell)")) as $at
	| ($goals | index_by("\(.column) \(.mode) \(.cell)")) as $goal
	| def per_io($mode): $at["\(.column) \($mode) \(.cell)"].per_io;
	  def added($mode):
		per_io($mode) as $own | per_io("local") as $local
		| if $own == null then null
		  elif ($mode | is_floor) then $own
		  elif $local == null then null
		  else $own - $local end;
	def floor: . as $c
		| ["floor", "floor-imm",
		   (if .mode == "rblk-inline" then "floor-inline" else empty end)]
		| map(. as $mode | $c | added($mode) | select(. != null)) | min;
	.cells = ($cells | map(
		. as $c
		| . + {added: added(.mode)}
		| .idle = (if .busy then [1 - .busy / .ns, 0] | max else 0 end)
		| .ratio = quotient(.added; $c | added("nvme-rdma"))
		| .as_it_comes = quotient(.added; $c | added("nvme-default"))
		| .over = (if $c.mode | is_floor then null
			   else quotient(.added; $c | floor) end)
		| .goal = $goal["\(.column) \(.mode) \(.cell)"].goal
		| .met = (if .goal == null or .ratio == null then null
			  else .ratio <= .goal end)));
