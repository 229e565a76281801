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
#	goals	for each thing that has one: "of" what, "wanted", "ratio" and whether it
#		is "met"; "floor" is the ratio of the least that a floor takes of that
#	met	whether all are
#
# A figure that has no counterpart in the run is null. $goals is an array of
# {column, mode, cell, goals: [{of, wanted}]}; the column "adapter" is each of the
# model's.

def is_floor: startswith("floor");

def index_by(f): map({key: f, value: .}) | from_entries;

def quotient(a; b):
	if a == null or b == null or b <= 0 then null else a / b end;

# At other depths adapter and processors work at the same time.
def is_depth_1: test("-qd1(-iopoll)?$");

def all_met: map(.met) | if length == 0 or all(. == null) then null
	else all(. != false) end;

def derive($goals):
	(.cells | map(. + {per_io: ((.ns - (.clock_ns // 0)) / .ios)})) as $cells
	| ($cells | index_by("\(.column) \(.mode) \(.cell)")) as $at
	| ($goals | index_by("\(.column) \(.mode) \(.cell)")) as $goal
	| def other($mode): $at["\(.column) \($mode) \(.cell)"];
	  def added($mode):
		other($mode).per_io as $own | other("local").per_io as $local
		| if $own == null then null
		  elif ($mode | is_floor) then $own
		  elif $local == null then null
		  else $own - $local end;
	  def latency($mode):
		added($mode) as $added | other($mode)
		| if $added == null or .path_ns == null or
			(.cell | is_depth_1 | not) then null
		  else $added + .path_ns / .ios end;
	  def counted($mode; $what): other($mode)
		| if .[$what] == null then null else .[$what] / .ios end;
	  def value($mode; $of):
		if $of == "instructions" then added($mode)
		elif $of == "latency" then latency($mode)
		else counted($mode; $of) end;
	def floor($of): . as $c
		| ["floor", "floor-imm", "floor-push",
		   (if .mode == "rblk-inline" or .column == "siw" then "floor-inline" else empty end)]
		| map(. as $mode | $c | value($mode; $of) | select(. != null)) | min;
	def goals: . as $c
		| ($goal["\(.column) \(.mode) \(.cell)"] //
			(if .column | startswith("adapter-")
			 then $goal["adapter \(.mode) \(.cell)"] else null end)).goals // []
		| map(. as $g | ($c | value("nvme-rdma"; $g.of)) as $nvme | . + {
			ratio: quotient($c | value($c.mode; $g.of); $nvme),
			floor: quotient($c | floor($g.of); $nvme)}
			| .met = (if .ratio == null then null
				else .ratio <= .wanted end));
	.cells = ($cells | map(
		. as $c
		| . + {added: added(.mode), latency: latency(.mode)}
		| .idle = (if .busy then [1 - .busy / .ns, 0] | max else 0 end)
		| .ratio = quotient(.added; $c | added("nvme-rdma"))
		| .latency_ratio = quotient(.latency; $c | latency("nvme-rdma"))
		| .as_it_comes = quotient(.added; $c | added("nvme-default"))
		| .over = (if $c.mode | is_floor then null
			   else quotient(.added; $c | floor("instructions")) end)
		| .goals = ($c | goals)
		| .met = (.goals | all_met)));

# when: date, commit and kernel of each column.
def when: . as $all
	| [.[] | arrays | .[].column // empty] | unique
	| map({(.): ($all.measured[.] // ($all | {date, commit, kernel}))}) | add // {};

# keep($old; $new): all that is in $new, and of $old the columns that are not.
def keep($old; $new):
	[$new[] | arrays | .[].column // empty] | unique as $columns
	| $old + $new
	| with_entries(select(.value | type == "array") |= (.key as $key
		| .value = (($old[$key] // [])
			| map(select(.column | IN($columns[]) | not)))
			+ ($new[$key] // [])))
	| .measured = ($old | when) + ($new | when);

# running: samples without those of a halted processor. perf takes them by a clock that
# goes on there, but no instruction is executed.
def running: map(select(.name | test("halt$") | not));
