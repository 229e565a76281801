# SPDX-License-Identifier: GPL-2.0-only
#
# From what was measured to what is printed: adds to each cell
#
#	per_io	guest ns, that is instructions, per I/O; less those of the model
#		adapter, where that is the provider
#	added	per_io less that of the local device in the same run; all of it for
#		a floor, which has no block layer
#	ratio	added to nvme-rdma's in the same run
#	as_it_comes	the same to nvme-default's
#	over	added to the floor: the cheapest of those whose messages the mode may
#		use, which are all but read data in responses, unless it is asked for
#	idle	the part of the time in which no task ran: waits for timers, which
#		are no instructions
#	latency	on the model adapter, where nothing overlaps: added, and what an
#		adapter would take for an I/O
#	latency_ratio	latency to nvme-rdma's in the same run
#	goal	the ratio wanted, and met: whether ratio is at most that
#
# A figure that has no counterpart in the run is null. $goals is an array of
# {column, mode, cell, goal}.

def is_floor: startswith("floor");

def index_by(f): map({key: f, value: .}) | from_entries;

def quotient(a; b):
	if a == null or b == null or b <= 0 then null else a / b end;

def derive($goals):
	(.cells | map(. + {per_io: ((.ns - (.clock_ns // 0)) / .ios)})) as $cells
	| ($cells | index_by("\(.column) \(.mode) \(.cell)")) as $at
	| ($goals | index_by("\(.column) \(.mode) \(.cell)")) as $goal
	| def per_io($mode): $at["\(.column) \($mode) \(.cell)"].per_io;
	  def added($mode):
		per_io($mode) as $own | per_io("local") as $local
		| if $own == null then null
		  elif ($mode | is_floor) then $own
		  elif $local == null then null
		  else $own - $local end;
	  # At other depths adapter and processors work at the same time.
	  def latency($mode):
		added($mode) as $added
		| $at["\(.column) \($mode) \(.cell)"]
		| if $added == null or .path_ns == null or
			(.cell | test("-qd1$") | not) then null
		  else $added + .path_ns / .ios end;
	def floor: . as $c
		| ["floor", "floor-imm",
		   (if .mode == "rblk-inline" then "floor-inline" else empty end)]
		| map(. as $mode | $c | added($mode) | select(. != null)) | min;
	.cells = ($cells | map(
		. as $c
		| . + {added: added(.mode), latency: latency(.mode)}
		| .idle = (if .busy then [1 - .busy / .ns, 0] | max else 0 end)
		| .ratio = quotient(.added; $c | added("nvme-rdma"))
		| .latency_ratio = quotient(.latency; $c | latency("nvme-rdma"))
		| .as_it_comes = quotient(.added; $c | added("nvme-default"))
		| .over = (if $c.mode | is_floor then null
			   else quotient(.added; $c | floor) end)
		| .goal = $goal["\(.column) \(.mode) \(.cell)"].goal
		| .met = (if .goal == null or .ratio == null then null
			  else .ratio <= .goal end)));
