/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RBLKCTL_WORDS_H
#define RBLKCTL_WORDS_H

/* Each is lines that end in newlines. */
extern const char attach_help[], route_add_help[], route_remove_help[], reservation_help[],
	export_add_help[], export_set_help[], export_allow_help[], export_deny_help[],
	portal_add_help[], session_remove_help[], host_fence_help[], host_unfence_help[],
	target_pause_help[], apply_help[], up_help[], down_help[],
	save_help[], stat_help[], top_help[], served_help[], doctor_help[],
	events_help[], set_help[], volume_help[], detach_help[], export_remove_help[], key_help[],
	key_rotate_help[], key_load_help[];

#endif /* RBLKCTL_WORDS_H */
