# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What each plan runs: guest_runs, lines of suite, kernel (@256M: with that much
# memory, and one processor; @4cpus; @pci: the machine of tests/adapter/pci-machine),
# provider and which of the suite's tests; form, short or full, in which tests that
# know both are run; guest_time, the seconds a guest may run; other_tests, which names
# what runs outside guests; nr_lanes, how many guests run at a time; build_with, what
# else the modules' make is told; and after, which is called when all has ended.
# Sourced by check.
#
# A fifth word is the number of guests that share these tests.
#
# Models of adapters have a row each in the plan check (model_runs), and all that
# there is in the plan adapters (adapter_runs).
#
# Which tests: all (full), those whose SET does not say full (broad), those whose SET does
# not say tool (wide), those whose SET has this word: quick; tool, where only the tool
# and its words matter, and no provider or kernel; stock, for kernels as distributions
# have them; module, for what only those kernels can; lock, leak; low, cpus, storm, dma,
# sleep, peer, soft; module, low, cpus, storm, dma, sleep and peer ones run nowhere else.
# modelN is for the Nth of the models: its share of those whose SET has the word model, and
# of the model's own cases. Of full and quick ones whose MODES says so there is one more for
# each, TEST@MODE, except in the plan check. keys: those that have this mode, in it and no
# other; keyed: those of them that the plan check has time for. With a comma between them, a
# row can have several of these words.
# shellcheck disable=SC2034,SC2154 # check has the rest

# profiles [FIELD]: the adapters that the model can be, those whose row has FIELD.
profiles()
{
	awk -v field="${1:+\\.$1 = true}" '
		match($0, /\.name = "[^"]*"/) {
			name = substr($0, RSTART + 9, RLENGTH - 10)
		}
		name != "" { row = row $0 }
		name != "" && /^\t}/ {
			if (row ~ field)
				print name
			name = row = ""
		}' "$top/tests/adapter/profile.c"
}

# Those that a change must work on: one that hides its failures (mlx5), one that flushes
# late and has no LOCAL_INV (hns), one with a single element of a receive (erdma), and
# one of iWARP.
models='mlx5 hns erdma irdma-x722'

# model_runs: a row for each of these: its share of the model's own cases, and of what is
# about adapters in the other suites.
model_runs()
{
	local profile suite n=0

	for profile in $models; do
		n=$((n + 1))
		for suite in faults e2e hostile adapter; do
			echo "$suite uml-kasan adapter-$profile model$n"
		done
	done
}

# adapter_runs: on each that there is the same. Some of the model's cases want another
# kernel: User Mode Linux has no DMA operations, what sleeps is seen by lockdep's, and
# memory of PCI devices is for 7.2 only.
adapter_runs()
{
	local profile

	for profile in $(profiles); do
		echo "e2e uml-kasan adapter-$profile full"
		echo "faults uml-kasan adapter-$profile full 2"
		echo "hostile uml-kasan adapter-$profile full"
		echo "adapter uml-kasan adapter-$profile full"
	done
	for profile in rxe siw; do
		echo "adapter uml-kasan $profile soft"
	done
	for profile in $(profiles map_sleeps); do
		echo "adapter uml-lockdep adapter-$profile sleep"
	done
	echo "adapter 6.1 adapter-mlx5 dma"
	echo "adapter 7.2@pci adapter-mlx5 peer"
}

# One more than the processors there may be, as tests also sleep and wait.
nr_lanes=3
case $plan in
check)
	form=${RBLK_T_FORM:-short} guest_time=3600
	# A guest has something to do half of the time.
	nr_lanes=4
	guest_runs=(
		"e2e uml-kasan rxe full 3"
		"e2e uml-kasan siw wide 3"
		"faults uml-kasan rxe quick"
		"faults uml-kasan siw quick,keyed"
		"hostile uml-kasan rxe quick"
		"hostile uml-kasan siw quick"
	)
	mapfile -t -O ${#guest_runs[@]} guest_runs < <(model_runs)
	guest_runs+=(
		"scale uml-kasan rxe full"
		"scale uml-kasan@4cpus siw cpus"
		"scale uml-kasan adapter-mlx5 storm"
	)
	;;
kernels)
	# What wants kernels of its own: to build them takes as long as to run this.
	form=${RBLK_T_FORM:-short} guest_time=3600
	guest_runs=(
		"e2e 6.1 rxe stock,module"
		"e2e uml-lockdep rxe lock"
		"e2e uml-kmemleak rxe leak"
	)
	;;
long)
	# What check has no time for: the same tests in more surroundings.
	form=${RBLK_T_FORM:-short} guest_time=5400
	nr_lanes=4
	guest_runs=(
		"e2e 6.1 rxe broad"
		"e2e 6.1 siw quick"
		"e2e uml-lockdep rxe full 2"
		"e2e uml-lockdep siw lock"
		"e2e uml-kasan rxe keys"
		"e2e uml-kasan siw tool,keys"
		"faults uml-kasan rxe quick"
		"faults uml-kasan siw quick"
		"scale uml-kasan siw full"
		"scale uml-kasan@4cpus rxe cpus"
		"vm uml-kasan rxe full"
		"vm uml-kasan siw full"
	)
	;;
faults)
	form=${RBLK_T_FORM:-full} guest_time=3600
	# Links are cut and clocks are waited for: a guest has something to do a
	# third of the time.
	nr_lanes=4
	guest_runs=(
		"faults uml-kasan rxe full 3"
		"faults uml-kasan siw full 3"
		"faults uml-lockdep rxe lock"
		"faults uml-kmemleak rxe leak"
		"faults uml-kasan@256M rxe low"
		"faults uml-kasan@256M siw low"
	)
	;;
hostile)
	form=${RBLK_T_FORM:-full} guest_time=2700
	guest_runs=(
		"hostile uml-kasan rxe full"
		"hostile uml-kasan siw full"
		"hostile uml-lockdep rxe lock"
		"hostile uml-kmemleak rxe leak"
	)
	;;
adapters)
	form=${RBLK_T_FORM:-short} guest_time=3600
	build_with=(RBLK_ADAPTER=m)
	# A guest has something to do a quarter of the time.
	nr_lanes=5
	mapfile -t guest_runs < <(adapter_runs)
	;;
scale)
	form=${RBLK_T_FORM:-full} guest_time=3600
	build_with=(RBLK_ADAPTER=m)
	nr_lanes=1
	guest_runs=(
		"scale uml-plain@16G adapter-mlx5 storm"
		"scale uml-kasan rxe full"
		"scale uml-kasan siw full"
		"scale uml-kasan@4cpus rxe cpus"
		"scale uml-kasan@4cpus siw cpus"
	)
	;;
*)
	die "no plan '$plan': check, kernels, long, faults, hostile, adapters or scale"
	;;
esac

# Rows in which whole machines die: a program of tests/faults/hosts each.
machine_rows()
{
	local row provider

	for row in "$top"/tests/faults/hosts/*; do
		grep -q '^DESCRIPTION=' "$row" || continue
		for provider in $(sed -n 's/^PROVIDERS="\(.*\)"$/\1/p' "$row" | grep . || echo rxe siw); do
			echo "faults.6.1.$provider.${row##*/}"
		done
	done
}

# Models that take minutes; what they search further than others do is for make long.
long_models='^model\.(mutant\..*|request\.lies|fence\.devices-both)$'

other_tests()
{
	local name

	[ "$plan" != faults ] || machine_rows
	[ "$plan" != long ] || "$top/tests/model/run" -l | grep -E "$long_models"
	[ "$plan" = check ] || return 0
	echo tool
	echo auth
	echo bench
	echo mutants
	"$top/tests/model/run" -l | grep -vE "$long_models"
	"$top/tests/packages/run" -l
	"$top/tests/contributing/run" -l
	for name in "$top"/tests/kunit/*_kunit.c; do
		echo "kunit.$(basename "$name" _kunit.c)"
	done
	for name in $(make -s -C "$top/tests/fuzz" list); do
		echo "fuzz.$name"
	done
}

after()
{
	case $plan in
	faults)	"$top/tests/faults/table" "$dir" ;;
	adapters) "$top/tests/adapter/table" "$dir" ;;
	scale)	"$top/tests/scale/plot" "$dir" ;;
	esac
}
