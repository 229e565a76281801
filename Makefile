# SPDX-License-Identifier: GPL-2.0-only
#
# The front door: every target is a thin call. "make help" lists them.

KVER	?= $(shell uname -r)
# Modules build against the running kernel, or, where its headers are not
# installed (a container, a machine with a kernel of its own), the newest that
# are. Looked up when used, as headers may be installed on the way.
KDIR	?= $(or $(wildcard /lib/modules/$(KVER)/build),$(shell \
	   ls -d /usr/src/linux-headers-*-amd64 2>/dev/null | sort -V | tail -n 1))
PREFIX	?= /usr/local
DESTDIR	?=
V	?= 0
T	?=
NAME	?= 6.1
lab	:= tests/lab

export PREFIX DESTDIR

all: modules tool ## modules and tool, in place

modules: have-headers ## both modules (KDIR= selects the kernel, V=1 shows all)
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" V=$(V) modules

tool: have-libraries ## rblkctl
	$(MAKE) -C tools

have-headers:
	@test -e "$(KDIR)/Makefile" || $(lab)/need build

have-libraries:
	@pkg-config --exists json-c uuid 2>/dev/null || $(lab)/need tool

demo: ## boot Debian 12's kernel in a VM and use a remote disk there
	@tests/demo

check: ## every test (T=pattern runs some)
	@tests/check $(T)

matrix: ## build and smoke-test on 6.1, 6.12 and 7.2
	@tests/matrix

style: ## checkpatch, sparse, W=1, clang, shellcheck and more
	@tests/style

shell: ## a VM with a volume attached and a prompt (NAME=uml-kasan: another kernel)
	@tests/shell $(NAME)

install: all ## modules, tool, manual, completion, rules (DESTDIR, PREFIX)
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" INSTALL_MOD_DIR=updates \
		INSTALL_MOD_PATH="$(DESTDIR)" modules_install
	$(MAKE) -C tools install

dkms-install: ## modules through DKMS, rebuilt for each new kernel
	@tests/lab/need dkms
	@tests/lab/dkms

clean: ## what make and the lab built here (the cache stays)
	@test ! -e "$(KDIR)/Makefile" || \
		$(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean
	@$(MAKE) -C tools clean
	rm -rf build

help: ## this
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | \
		expand -t 22

.PHONY: all modules tool have-headers have-libraries demo check matrix style \
	shell install dkms-install clean help
