# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a User Mode Linux kernel. Sourced by run.

# roomy: UML keeps the guest's memory in a file in /dev/shm, which containers
# like to make small; on a disk it is slower but works.
roomy()
{
	local need free

	need=$(numfmt --from=iec "$mem")
	free=$(df -B1 --output=avail /dev/shm 2>/dev/null | tail -n 1)
	if [ "${free:-0}" -lt "$need" ]; then
		export TMPDIR=${TMPDIR:-/tmp}
	fi
}

# boot: starts the guest in a session of its own and sets guest. The
# kernel's log is con0, the script's output con1; UML makes the descriptors
# it gets non-blocking, so pipes stand between it and the caller's.
boot()
{
	local args=(mem="$mem" ncpus="$cpus" seccomp=on ro
		root=/dev/root rootfstype=hostfs rootflags=/
		init="$lab_dir/uml-init" con=null con0="null,fd:3"
		kunit.enable=1 kunit.autorun=1
		console=tty0 loglevel=8 oops=panic panic=-1
		hostname=rblk LAB_OUT="$out" LAB_LAYER="$k_layer") more

	roomy
	read -ra more <<<"$k_append ${RBLK_APPEND:-}"
	args+=(${more[@]+"${more[@]}"})

	# Not in the guest's process group: what it said last must not die
	# with it.
	exec 3> >(exec cat >"$log")
	drains+=($!)
	if [ "$interactive" = 1 ]; then
		setsid "$k_image" "${args[@]}" con1="fd:0,fd:1" \
			<&0 2>"$log.uml" &
	else
		exec 4> >(exec cat)
		drains+=($!)
		setsid "$k_image" "${args[@]}" con1="null,fd:4" </dev/null \
			>"$log.uml" 2>&1 &
	fi
	guest=$!
	exec 3>&- 4>&-
}
