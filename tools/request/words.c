// SPDX-License-Identifier: GPL-2.0-only
/* What --help says of a verb beyond its line. */
#include "request/words.h"

const char attach_help[] =
	"TARGET is a host name or an IP address, an IPv6 address in brackets where a\n"
	"PORT follows; the default port is 4421. Several addresses of one target, with\n"
	"commas between them, are routes: I/O takes all that are up. With --uuid the\n"
	"export must have that identity. The target proves who it is by --target-key, which\n"
	"'rblkctl key' prints there; --trust-first and --insecure are the ways without it.\n";

const char route_add_help[] =
	"DEVICE as with 'show'. TARGET is another address of the same target. A route that\n"
	"cannot be used yet stays, and is tried again and again. Without --target-key,\n"
	"--trust-first and --insecure it proves what it does on the first route.\n";

const char route_remove_help[] =
	"TARGET as 'rblkctl route list' has it. The last route stays: that is a detach.\n";

const char reservation_help[] =
	"DEVICE as with 'show': its target is asked. EXPORT is one of this target, or else that\n"
	"of a volume. blkpr(8) and others register keys and reserve. On the target, --clear\n"
	"ends it all, and --drop the registration of one host; both only with --force while that\n"
	"host, or any, is registered. --move is for a host that has a new key.\n";

const char export_add_help[] =
	"Without --uuid a random one is made: give the same UUID whenever the same data\n"
	"is offered again. With neither --allow nor --allow-any nobody may attach it. A UUID\n"
	"in place of a host's KEY proves nothing, and needs --insecure.\n"
	"With --file a file stands for the DEVICE; its loop device goes with the export. With\n"
	"--pool or --clone-of LVM makes a volume of the export's name. A snapshot in a thin pool\n"
	"takes no --size; elsewhere it says how much may change before the snapshot is lost.\n";

const char export_set_help[] =
	"Hosts that lose nothing by it notice nothing. What a host that has it attached\n"
	"would lose is refused without --force. The hosts given with --allow are all that\n"
	"may attach it from then on; --allow none stands for nobody. With --secure those that\n"
	"are allowed by UUID must be gone.\n";

const char export_allow_help[] =
	"KEY is what 'rblkctl key' prints on that host. Those that may attach it already\n"
	"still may. A UUID, which 'rblkctl host' prints, needs an export with --insecure.\n";

const char export_deny_help[] =
	"The other hosts of the list still may. A host that has it attached is only taken out\n"
	"with --force; it holds its I/O for its queue timeout and fails it then.\n";

const char portal_add_help[] =
	"ADDRESS is this host's; * or any stands for all its IPv4 addresses, [::] for\n"
	"all its IPv6 addresses. The default port is 4421.\n";

const char session_remove_help[] =
	"HOST is a name, UUID or key as in 'rblkctl session list'. With --force also while it\n"
	"has volumes attached: for a host that is dead. One that is alive comes back.\n";

const char host_fence_help[] =
	"HOST is a key, or a name or UUID as in 'rblkctl host list'. Its sessions end, and it\n"
	"gets no export, also after a restart of the target. Ends when its last I/O has ended in\n"
	"the devices; exit status 1 says that after --wait (60s) some has not.\n";

const char host_unfence_help[] =
	"HOST as with 'host fence'. Access lists count again. What the host shared and still\n"
	"has attached has failed for good: detach it there, and attach it anew.\n";

const char target_pause_help[] =
	"Hosts are told, hold their I/O without an error or an alarm, and come back by\n"
	"themselves: to exchange the module, or to restart the machine. Ends when what was\n"
	"under way has ended. A pause that is not ended by 'target resume' ends by itself.\n";

const char apply_help[] =
	"Adds, changes and removes portals, exports and volumes until they are what the\n"
	"configuration says, see rblk.conf(5). What is the same already is not touched.\n"
	"If one step fails, those before it are undone: exit status 1. 3 says that\n"
	"something could not be undone. With --each nothing is undone over what fails.\n";

const char up_help[] =
	"For the time after a boot: each item for itself. Nothing is changed or removed.\n"
	"With --wait what fails is tried again, such as a volume whose target is not\n"
	"there yet, while the others go on.\n";

const char down_help[] =
	"For the time before a shutdown: each item for itself, volumes first. Without --force,\n"
	"what is in use stays, and makes the exit status 1.\n";

const char save_help[] =
	"What runs is what is saved; lists of a module that is not loaded and names of hosts\n"
	"stay as the file has them. It keeps owner, mode and links. Its comments go; the former\n"
	"file is kept with .old at its end. If rblkctl wrote that one, an .old that it did not\n"
	"write stays instead. --file - writes to standard output.\n";

const char stat_help[] =
	"Operations and bytes per second, percentiles of how long they took, and the mean\n"
	"time in this host, on the wire, in the target and in the backing device. With a\n"
	"DEVICE each of these parts has its own percentiles. With --sort each volume has one\n"
	"line, the first by KEY on top.\n";

const char top_help[] =
	"The same as 'stat --watch --sort io': until interrupted, and the screen is cleared\n"
	"each time if it is one.\n";

const char served_help[] =
	"Operations and bytes per second, percentiles of how long the target took, and the\n"
	"mean time of that in the target itself and in the backing device.\n";

const char doctor_help[] =
	"Checks modules, memory, RDMA devices, portals and volumes here, and the way to\n"
	"TARGET: address, route, link, GID, MTU, portal, login. An EXPORT is attached for a\n"
	"moment, read-only, and read from. What is bad makes the exit status 1. Without\n"
	"--target-key and --insecure the target may have any key, which is shown.\n";

const char events_help[] =
	"One line per event, until interrupted: when, which volume, its state, and why.\n";

const char volume_help[] =
	"DEVICE is rblkN, /dev/rblkN, a link to it, or the UUID. An export's name, or\n"
	"TARGET[:PORT]/EXPORT as it was attached, stands for the device.\n";

const char set_help[] =
	"DEVICE is rblkN, /dev/rblkN, a link to it, or the UUID. An export's name, or\n"
	"TARGET[:PORT]/EXPORT as it was attached, stands for the device. What --target-key\n"
	"says is used when the device next connects, also by those with the same session.\n";

const char detach_help[] =
	"DEVICE is rblkN, /dev/rblkN, a link to it, or the UUID. An export's name, or\n"
	"TARGET[:PORT]/EXPORT as it was attached, stands for the device. With --force its\n"
	"outstanding I/O fails.\n";

const char export_remove_help[] =
	"With --force hosts that have it attached hold their I/O for their queue timeout. They\n"
	"go on if it is offered again in time, with the same UUID. That is refused while their\n"
	"I/O hangs in the disk, and so is a removal without --force. With --destroy its data is\n"
	"gone: only if no host has it attached, and rblkctl has made the logical volume.\n";

const char key_help[] =
	"Made on first use, in /etc/rblk/key. On a host it is for 'rblkctl export allow' on the\n"
	"target, on a target for --target-key on the hosts. 'rblkctl key rotate' changes it,\n"
	"'rblkctl key load' gives it to the modules.\n";

const char key_rotate_help[] =
	"Makes the next key, in /etc/rblk/key.next, and prints it, so that others can be told\n"
	"of it first. With --now it becomes the key, which nobody notices who knows it.\n";

const char key_load_help[] =
	"For when /etc/rblk/psk has changed, or a backup of /etc/rblk/key was put back.\n";
