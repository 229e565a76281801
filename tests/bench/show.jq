# SPDX-License-Identifier: GPL-2.0-only
#
# What derive.jq has worked out, as tab-separated lines with a head line.

include "derive";

def fixed($digits):
	pow(10; $digits) as $p
	| (. * $p | round) as $n
	| (if $n < 0 then "-" else "" end) as $sign
	| ($n | fabs) as $n
	| ($n % $p | tostring) as $rest
	| $sign + ($n / $p | floor | tostring) + (if $digits == 0 then "" else
		"." + ("0" * ($digits - ($rest | length)) // "") + $rest end);

def or_dash(f): if . == null then "-" else f end;

def in_order: reduce .[] as $x ([]; if index($x) then . else . + [$x] end);

def cost:
	if . == null or .added == null then "-"
	elif .mode == "local" then .per_io / 1000 | fixed(1)
	else (.added / 1000 | fixed(1))
		+ (if .ratio then " (\(.ratio | fixed(2)))" else "" end)
		+ (if .idle > 0.1 then "*" else "" end) end;

# crossed: one line per cell, one column per mode, of the cells that are input.
def crossed(f):
	. as $all
	| (map(.mode) | in_order) as $modes
	| (["cell"] + $modes),
	  ((map(.cell) | in_order)[] as $cell
	   | [$cell] + ($modes | map(. as $mode
		| [$all[] | select(.cell == $cell and .mode == $mode)][0] | f)))
	| @tsv;

def grid($column):
	[.cells[] | select(.column == $column)]
	| if length == 0 then empty else crossed(cost) end;

# keys: what protection takes, in a run of that form: thousand instructions per I/O in all,
# and how many per cent that is more than rblk without any, and the ratio of the rates.
def keys($column):
	[.cells[] | select(.column == $column)] as $all
	| ($all | map(select(.mode == "rblk")
		| {key: .cell, value: .per_io}) | from_entries) as $plain
	| def more: $plain[.cell] as $of
		| ((.per_io / $of - 1) * 100 | fixed(1)) as $percent
		| (if $percent | startswith("-") then "" else "+" end) + $percent;
	  if $plain == {} then empty else $all | crossed(
		if . == null then "-" else (.per_io / 1000 | fixed(1))
			+ if $plain[.cell] == null or (.mode | startswith("rblk-") | not)
			then "" else
			" (\(more) %, \($plain[.cell] / .per_io | fixed(3)))" end end)
	  end;

# only_main: the cells of the quick form.
def only_main: .cells |= map(select(.cell | IN($main[])));

# behind: where rblk's default costs as much as a peer, or more.
def behind($column):
	[.cells[] | select(.column == $column)] as $all
	| ($all | map({key: "\(.mode) \(.cell)", value: .added}) | from_entries)
		as $added
	| [$all[] | select(.mode == "rblk" and .added != null) | . as $own
		| ("nvme-rdma", "rnbd", "iser") as $peer
		| $added["\($peer) \(.cell)"]
		| select(. != null and . <= $own.added)
		| [$own.cell, $peer, ($own.added / 1000 | fixed(1)),
			(. / 1000 | fixed(1))]]
	| if length == 0 then empty else
		(["cell", "peer", "rblk", "its cost"], .[]) | @tsv end;

# verdict: of a goal.
def verdict:
	(if .met == null then "not measured" elif .met then "met"
	 else "missed" end)
	+ if .floor != null and .floor > .wanted then ", less than the floor"
	  else "" end;

# against: a line for each goal.
def against($column):
	[.cells[] | select(.column == $column) | . as $c | .goals[]
		| ($c | {cell, mode, over, as_it_comes}) + .]
	| if length == 0 then empty else
		["cell", "mode", "of", "ratio", "wanted", "", "the floor's",
			"to the floor", "to nvme-default"],
		(.[] | [.cell, .mode, .of, (.ratio | or_dash(fixed(3))),
			(.wanted | fixed(2)), verdict,
			(.floor | or_dash(fixed(3))),
			(if .of == "instructions" then
				(.over | or_dash(fixed(2))),
				(.as_it_comes | or_dash(fixed(3)))
			 else "-", "-" end)])
		| @tsv end;

# beyond: where rblk, in whatever mode, rings or is interrupted more often than
# nvme-rdma.
def beyond($column):
	[.cells[] | select(.column == $column)] as $all
	| [$all[] | . as $own
		| select((.mode | startswith("rblk")) and .doorbells != null)
		| [$all[] | select(.mode == "nvme-rdma" and .cell == $own.cell)][0]
		| select(. != null) | . as $nvme
		| ("doorbells", "interrupts") as $what
		| ($own[$what] / $own.ios) as $mine
		| ($nvme[$what] / $nvme.ios) as $its
		| select($mine > $its * 1.005)
		| [$own.cell, $own.mode, $what, ($mine | fixed(2)),
			($its | fixed(2))]]
	| if length == 0 then empty else
		(["cell", "mode", "of", "its", "nvme-rdma'''s"], .[]) | @tsv end;

# verbs: control verbs of sessions.
def verbs($column):
	[.verbs[]? | select(.column == $column)]
	| if length == 0 then empty else
		(["mode", "queues", "attach", "reconnect"],
		(.[] | [.mode, .queues, .attach, .reconnect])) | @tsv end;

def skipped($column):
	[.skipped[]? | select(.column == $column)]
	| if length == 0 then empty else
		(["not measured", "cells", "because"],
		(.[] | [.mode, .cells, .why])) | @tsv end;

def latency($column):
	[.cells[] | select(.column == $column and .p50 != null)]
	| if length == 0 then empty else crossed(
		if . == null then "-" else
		"\(.p50 / 1000 | fixed(0)) / \(.p99 / 1000 | fixed(0)) / \(.p999 / 1000 | fixed(0))"
		end) end;

def counts($column):
	["messages", "packets", "doorbells", "wrs", "signalled", "completions",
	 "events", "arms", "receives", "registrations", "local_invs",
	 "remote_invs", "switches", "softirqs", "copied"] as $keys
	| [.counts[]? | select(.column == $column)
		| .packets = (if (.sent_pkts // 0) > 0 then .sent_pkts else .tcp end)]
	| if length == 0 then empty else
		(["cell", "mode"] + $keys),
		(.[] as $c | [$c.cell, $c.mode] +
			($keys | map($c[.] | or_dash(. / $c.ios | fixed(2)))))
		| @tsv end;

# adapter: what an I/O takes besides the model's own work, and what it asks of the
# model; both sides.
def adapter($column):
	["doorbells", "sends", "completions", "interrupts", "switches",
	 "moved_bytes"] as $keys
	| [.cells[] | select(.column == $column and .clock_ns != null)]
	| if length == 0 then empty else
		(["cell", "mode", "all", "added", "ratio", $keys[], "model",
			"delays", "added latency", "ratio"],
		(sort_by(.cell)[] as $c | $c | [.cell, .mode,
			(.per_io / 1000 | fixed(2)),
			(.added | or_dash(. / 1000 | fixed(2))),
			(.ratio | or_dash(fixed(2))),
			($keys[] as $key | $c[$key] | or_dash(. / $c.ios | fixed(2))),
			(.clock_ns / .ios / 1000 | fixed(2)),
			(if .path_ns == null or (.cell | is_depth_1 | not)
			 then "-" else .path_ns / .ios / 1000 | fixed(2) end),
			(.latency | or_dash(. / 1000 | fixed(2))),
			(.latency_ratio | or_dash(fixed(2)))]))
		| @tsv end;

def memory:
	[.memory[]?]
	| if length == 0 then empty else
		(map(.column) | in_order) as $columns
		| . as $all
		| (["mode"] + ($columns | map("\(.) host", "\(.) target"))),
		  ((map(.mode) | in_order)[] as $mode
		   | [$mode] + ($columns | map(. as $column
			| [$all[] | select(.mode == $mode and .column == $column)][0]
			| .host, .target | or_dash(fixed(0)))))
		| @tsv end;

def scale:
	[.scale[]?]
	| if length == 0 then empty else
		(["sessions", "queues of each", "volumes", "host", "target",
		  "host, per session", "target, per session"],
		(.[] | [.sessions, .queues, .volumes, .host, .target,
			(.host / .sessions | fixed(0)),
			(.target / .sessions | fixed(0))]))
		| @tsv end;

# one_more: from the lines above, what another volume, queue or session takes.
def one_more:
	[.scale[]?] as $all
	| def line($s; $q; $v): [$all[] | select(.sessions == $s and
		.queues == $q and .volumes == $v)][0];
	  def step($what; $from; $to; $n): if $from == null or $to == null
		then empty else [$what, (($to.host - $from.host) / $n | fixed(0)),
			(($to.target - $from.target) / $n | fixed(0))] end;
	[step("volume of a session"; line(1; 1; 1); line(1; 1; 16); 15),
	 step("queue of a session"; line(1; 1; 1); line(1; 4; 1); 3),
	 step("session of 4 queues, with a volume"; line(1; 4; 1);
		line(64; 4; 64); 63)]
	| if length == 0 then empty else
		(["one more", "host", "target"], .[]) | @tsv end;

# files: the whole work's million instructions; in brackets what is added to
# the local device's, as a ratio to nvme-rdma's.
def files:
	[.files[]?] as $all
	| def ms($mode): . as $c | [$all[] | select(.column == $c.column and
		.cell == $c.cell and .mode == $mode) | .ms][0];
	  def added($mode): ms($mode) as $a | ms("local") as $b
		| if $a == null or $b == null then null else $a - $b end;
	[$all[] | . as $c
		| added(.mode) as $own | added("nvme-rdma") as $nvme
		| {mode: "\(.column) \(.mode)", cell: .cell, text: ((.ms | fixed(1))
			+ if .mode == "local" or $own == null or ($nvme // 0) <= 0
			then "" else " (\($own / $nvme | fixed(2)))" end)}]
	| if length == 0 then empty else
		crossed(if . == null then "-" else .text end) end;

def profile_title($n):
	.profile[$n] | "\(.column), \(.cell), \(.mode): \(.all)";

# profile_functions: the largest of the n-th profile.
def profile_functions($n):
	.profile[$n] as $p
	| ["function", "module", "instructions", "%"],
	  ($p.functions[:25][] | [.name, .module, (.value | fixed(0)),
		(.value * 100 / $p.all | fixed(1))])
	| @tsv;

# purpose: what a module, or one of tests/bench/groups, is for.
def purpose:
	if IN("rdma_rxe", "siw", "rblk_adapter") then "provider"
	elif test("^(crc32|checksums)") then "checksums"
	elif test("^(ib|rdma)_") then "RDMA core"
	elif IN("scheduler", "workqueues", "idle", "interrupts") then "scheduler"
	elif IN("block layer", "null_blk") then "block layer"
	elif . == "rblk" then "rblk driver"
	elif . == "rblk_target" then "rblk target"
	elif test("^nvme") then "nvme"
	elif IN("system calls", "user") then "load"
	elif IN("network", "memory", "copying", "locks") then .
	else "other" end;

# profile_groups: thousand instructions by purpose; rblk above who is compared.
def profile_groups($column):
	["provider", "checksums", "copying", "network", "memory", "locks",
	 "RDMA core", "scheduler", "block layer", "load", "rblk driver",
	 "rblk target", "nvme", "other"] as $names
	| [.profile[]? | select(.column == $column)]
	| sort_by([.cell, .mode == "nvme-rdma", .mode])
	| if length == 0 then empty else
		["cell", "mode", "all", $names[]],
		(.[] | (.all / 1000) as $all
			| (reduce .groups[] as $g ({};
				.[$g.name | purpose] += $g.value)) as $by
			| [.cell, .mode, ($all | fixed(1)),
			   ($names[] as $n | ($by[$n] // 0) / 1000 | fixed(1))])
		| @tsv end;

# hosts: what tests/bench/hosts has measured, one line per mode and cell.
def hosts:
	(.cells | map({key: "\(.mode) \(.cell)", value: (.host + .target)})
		| from_entries) as $cpu
	| def added($mode): if $cpu["\($mode) \(.cell)"] == null or
			$cpu["local \(.cell)"] == null then null
		else $cpu["\($mode) \(.cell)"] - $cpu["local \(.cell)"] end;
	["cell", "mode", "kIOPS", "us/IO", "p50 us", "p99 us", "p99.9 us",
	 "host CPU us/IO", "target CPU us/IO", "added CPU us/IO", "ratio",
	 "instructions/IO", "cycles/IO", "switches/IO"],
	(.cells | sort_by(.cell)[] | added(.mode) as $own
		| added("nvme-rdma") as $nvme | [.cell, .mode,
		(.ios * 1000000 / .ns | fixed(1)), (.ns / .ios / 1000 | fixed(1)),
		(.p50 / 1000 | fixed(0)), (.p99 / 1000 | fixed(0)),
		(.p999 / 1000 | fixed(0)), (.host / 1000 | fixed(1)),
		(.target / 1000 | fixed(1)),
		(if .mode == "local" or $own == null then "-"
		 else $own / 1000 | fixed(1) end),
		(if .mode == "local" or $own == null or ($nvme // 0) <= 0 then "-"
		 else $own / $nvme | fixed(2) end),
		(.perf.instructions | or_dash(fixed(0))),
		(.perf.cycles | or_dash(fixed(0))),
		(.perf["context-switches"] | or_dash(fixed(2)))])
	| @tsv;
