# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers of what people type at rblkctl. Included by a Makefile that sets
# OUT; each fuzzer's corpus is corpus/NAME.

fuzz_tool_dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
fuzz_tool_top := $(fuzz_tool_dir)/../..

FUZZERS += tool_args tool_address

FUZZ_CC ?= clang
FUZZ_CFLAGS ?= -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

# The tool's pure files: no module, no json-c.
fuzz_tool_pure := $(wildcard $(fuzz_tool_top)/tools/request/*.c) \
	$(patsubst %,$(fuzz_tool_top)/tools/lib/%.c,address selector text)

$(OUT)/tool_%: $(fuzz_tool_dir)/tool_%.c $(fuzz_tool_pure) \
		$(wildcard $(addprefix $(fuzz_tool_top)/,tools/request/*.h tools/lib/*.h uapi/*.h))
	@mkdir -p $(@D)
	$(FUZZ_CC) $(FUZZ_CFLAGS) -std=gnu11 -D_GNU_SOURCE -D__SANE_USERSPACE_TYPES__ \
		-Wall -Wextra -I$(fuzz_tool_top)/tools -I$(fuzz_tool_top)/uapi \
		-o $@ $< $(fuzz_tool_pure) -luuid -lsodium
