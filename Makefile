# SPDX-License-Identifier: GPL-2.0-only
#
# The front door: every target is a thin call. "make help" lists them.

KVER	?= $(shell uname -r)
# Modules build against the running kernel, or, where its headers are not
# installed (a container, a machine with a kernel of its own), the newest that
# are. Looked up when used, as headers may be installed on the way.
# With ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- those of that architecture.
KDIR	?= $(or $(if $(CROSS_COMPILE),,$(wildcard /lib/modules/$(KVER)/build)),$(shell \
	   ls -d /usr/src/linux-headers-*-$(or $(filter arm64,$(ARCH)),amd64) 2>/dev/null | \
	   sort -V | tail -n 1))
PREFIX	?= /usr/local
DESTDIR	?=
V	?= 0
T	?=
HOURS	?= 1
NAME	?= 6.1
FORM	?= full
LINUX	?=
lab	:= tests/lab
# The release's version has one home.
version	:= $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)

export PREFIX DESTDIR

all: modules tool ## modules and tool, in place

modules: have-headers ## the modules (KDIR= selects the kernel, V=1 shows all)
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" V=$(V) modules

tool: have-libraries ## rblkctl and librblk
	$(MAKE) -C tools

have-headers:
	@test -e "$(KDIR)/Makefile" || $(if $(CROSS_COMPILE),{ echo \
		"no headers for $(ARCH) in /usr/src: say KDIR=DIRECTORY"; false; },\
		$(lab)/need build)

have-libraries:
	@pkg-config --exists json-c uuid libconfig smartcols libsodium 2>/dev/null || $(lab)/need tool

demo: ## boot Debian 12's kernel in a VM and use a remote disk there
	@tests/demo

check: ## the tests, long ones in a short form (T=pattern runs some)
	@tests/check "$(T)"

kernels: ## the tests for lockdep, for kmemleak and for Debian's 6.1 (T=pattern)
	@tests/check -p kernels "$(T)"

long: ## what check has no time for: more kernels, providers and modes (T=pattern)
	@tests/check -p long "$(T)"

faults: ## the fault matrix, in full (T=pattern runs some rows)
	@tests/check -p faults "$(T)"

soak: ## rows of the fault matrix at random for HOURS=n, a fraction too (T=pattern, GO_ON=1)
	@tests/faults/soak $(if $(GO_ON),-g) "$(HOURS)" $(T)

scale: ## a thousand sessions: memory, time, shares, and all of them lost at once
	@tests/check -p scale "$(T)"

hostile: ## peers and programs that break the rules on purpose (T=pattern)
	@tests/check -p hostile "$(T)"

adapters: ## tests on models of adapters, each of which is as strict as hardware (T=pattern)
	@tests/check -p adapters "$(T)"

upstream: ## patches for faults of RXE, SIW and dm: the fault without, none with (T=pattern)
	@tests/upstream/run "$(or $(T),.)"

mutants: ## faults put into rblk on purpose: the model adapter finds each (T=pattern)
	@tests/adapter/mutants/run "$(or $(T),.)"

pages: ## the commands of docs/recipes.md, operations.md and comparison.md, in three VMs (T=pattern)
	@tests/pages/run "$(T)"

picture: ## docs/session.svg, from a session of two VMs of which one loses its power
	@tests/picture/run

bench: ## what each I/O costs, beside its peers (FORM=quick: under 3 minutes; keys: what keys cost)
	@tests/bench/run -f $(FORM)

matrix: ## build and smoke-test on 6.1, 6.12 and 7.2; build for arm64, and in the kernel's tree
	@tests/matrix

packages: ## the packages: built, judged, installed on a Debian 12 VM, used, purged (T=pattern)
	@tests/packages/run -a $(T)

boot: ## a target and a host in two VMs with systemd: reboot in every order (T=case)
	@tests/boot/run $(T)

everything: ## all of these, one after another, for a machine left alone: a day
	@.ci/run style check kernels long matrix upstream faults hostile scale adapters mutants \
		packages pages boot demo bench

style: ## checkpatch, sparse, W=1, clang, shellcheck and more
	@tests/style

shell: ## a VM with a volume attached and a prompt (NAME=uml-kasan: another kernel)
	@tests/shell $(NAME)

install: all ## modules, tool, library, manuals, completion, rules, units (DESTDIR, PREFIX)
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" INSTALL_MOD_DIR=updates \
		INSTALL_MOD_PATH="$(DESTDIR)" modules_install
	$(MAKE) -C tools install

dkms-install: ## modules through DKMS, rebuilt for each new kernel
	@tests/lab/need dkms
	@tests/lab/dkms

dkms-source: ## the modules' source for DKMS, below DESTDIR/usr/src
	@find Kbuild dkms.conf auth compat driver target uapi -type f \
		\( -name '*.[ch]' -o -name Kbuild -o -name dkms.conf \) -exec \
		install -D -m 644 {} $(DESTDIR)/usr/src/rblk-$(version)/{} \;

deb: ## Debian packages, in build/deb
	@packaging/deb

rpm-spec: ## packaging/rblk.spec in step with what "make install" installs
	@packaging/spec

release: ## tag, tarball, packages, checksums and notes, in build/release (DRY=1: no tag)
	@packaging/release $(if $(DRY),-n)

in-tree: ## patches that add rblk to Linux 7.2, in build/in-tree (LINUX=another source)
	@$(lab)/need in-tree
	@set -e; k_source='$(LINUX)'; \
	[ -n "$$k_source" ] || { said=$$($(lab)/kernel source-7.2); eval "$$said"; }; \
	packaging/in-tree/make "$$k_source" build/in-tree

clean: ## what make and the lab built here (the cache stays)
	@test ! -e "$(KDIR)/Makefile" || \
		$(MAKE) -C "$(KDIR)" M="$(CURDIR)" clean
	@$(MAKE) -C tools clean
	rm -rf build

help: ## this
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | \
		expand -t 22

.PHONY: all modules tool have-headers have-libraries demo check everything kernels long \
	faults scale adapters mutants upstream soak hostile pages picture bench matrix \
	packages boot style shell install dkms-install dkms-source deb rpm-spec \
	release in-tree clean help
