# SPDX-License-Identifier: MIT
#
# igen: what can be made. "make run" shows the driver at work, "make test" tests everything; both begin with the set-up.

MAKEFLAGS += --no-print-directory
O ?= $(CURDIR)/build
export IGEN_BUILD := $(abspath $(O))
CACHE := $(or $(IGEN_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/igen)
KERNELS := 6.1 6.12 newest
JOBS ?= $(shell nproc)
VM := tools/vm/igen-vm

# Compilers are found through ccache, once the set-up has installed it. Sources that were compiled before are not compiled
# again: a fresh clone at the same place, and the modules for every kernel.
export PATH := /usr/lib/ccache:$(PATH)
export CCACHE_DIR := $(CACHE)/ccache
export CCACHE_MAXSIZE := 2G
# By the lists of headers that the compiler writes (-MD), which costs nothing when something is compiled for the first time.
export CCACHE_DEPEND := 1

.PHONY: all help setup setup-quiet model decode module kunit-module modules source deb igt-own run test hosts bench igt check clean FORCE
.PHONY: coherency coherency-plugin gen9 lanes builtin soak coverage reference fuzz fuzz-build fuzz-parser fuzz-model fuzz-uhptr attack mutants eu-judge shim suites

all: model modules igt-own

help:
	@echo 'make setup    packages, kernels, IGT and QEMU (done by the other targets as well)'
	@echo 'make model    the model of the GPU: build/model/igen-model'
	@echo 'make shim     the model as a library that is preloaded into programs: build/shim/igen-shim'
	@echo 'make suites   suites of others under igen-shim: piglit, hashcat, clblast, clfft, clpeak, shaders, or those and their tests that'
	@echo '              NAMES="n..." has; on PLATFORM=PART (kbl)'
	@echo 'make decode   igen-decode, with the command headers made on the way: build/decode/igen-decode'
	@echo 'make module   igen.ko for kernel 6.1, or for the headers given with KDIR='
	@echo 'make kunit-module  igen.ko with its KUnit tests, for the debug kernel: build/module/RELEASE-kunit/igen.ko'
	@echo 'make source   the driver as a folder of its own, for DKMS and for kernel trees: build/source/igen'
	@echo 'make deb      the Debian package igen-dkms: build/deb/'
	@echo 'make modules  igen.ko for every kernel of the guest ($(KERNELS))'
	@echo 'make igt-own  our own IGT-style tests'
	@echo 'make run      boot, load igen, run batches, draw the test card; on Ivy Bridge (PLATFORM=ivb) preempt a batch, too.'
	@echo '              PLATFORM=PART: another GPU than kbl, such as bxt, ivb, snb; a wrong one gets a list of all'
	@echo 'make igt      the IGT results table: subtest, i915, igen; then all tiers of IGT (hours), or only those of TIER=A;'
	@echo '               SELECTION=fast: only what Intel tests every patch with, ci (the default): what it tests at all, all: everything'
	@echo 'make gen9     every part of Gen9 that the model can be: registers under both drivers, a few of our own tests, and IGT on some'
	@echo 'make coherency  flushes and fences of kernel and programs on Apollo Lake, judged by the instructions of the guest (minutes);'
	@echo '               RUNS="i915 igen kbl" chooses'
	@echo 'make bench    igen against i915: instructions and model counters per operation; fails when a target is missed. Before that, how'
	@echo '              fast the model is on this machine, alone and with OpenCL programs; PLATFORM=ivb (snb): another GPU'
	@echo 'make test     all tests, or those with TESTS="word..." in their names; ends with "N passed, N failed, N skipped"'
	@echo 'make hosts    "make run" and a part of "make test" in clean roots of each release that igen works on (SUITES="...")'
	@echo 'make fuzz     random programs of ioctls for MINUTES=n (5), SEED=s (1), SMP=k (2); see build/fuzz'
	@echo 'make attack   attackers beside a victim for MINUTES=n (5), SEED=s, SMP=k (1), KERNEL=6.1|6.12|debug|kcsan, TRANSPORT=t,'
	@echo '              SUSPEND=1 (suspends the machine meanwhile), DEVICES=n (1)'
	@echo 'make fuzz-model  programs of a hostile guest for the model, MINUTES=n (5), SEED=s (1); with PROGRAMS=1 of its execution units alone'
	@echo 'make fuzz-parser  all 2^32 headers and COUNT=n (10000000) batches of SEED=s (1) for the command parser, held against the model'
	@echo 'make fuzz-uhptr  COUNT=n (10000) rounds of random programs that preempt each other by UHPTR, under each setting of the model or'
	@echo '              those of SETTINGS="default selfclear ignore late stale executed", SEED=s'
	@echo 'make eu-judge  COUNT=n (1000000) random instructions and some programs of each part, on the execution units and on their'
	@echo '              reference, from seed SEED=s (1) on'
	@echo 'make mutants  small faults of driver and model, one at a time: does a test notice each? NAMES="n..." tries those'
	@echo 'make lanes    igen on debug kernels (KASAN, lockdep, KCSAN, ...), longer than "make test"'
	@echo 'make builtin  igen as a part of the kernel (CONFIG_DRM_IGEN=y): builds that kernel (once for many minutes) and boots it'
	@echo 'make reference  records what stock i915 gave in the runs before (igt-tests/reference): fresh machines need not run it again'
	@echo 'make coverage which lines of the driver run on the debug kernel, file by file'
	@echo 'make soak     hangs, lost interrupts, unbinding and suspends under load for MINUTES=n (60)'
	@echo 'make check    style and static checks'
	@echo 'make clean    removes build/'

setup:
	@tools/setup/setup

setup-quiet:
	@SETUP_QUIET=1 tools/setup/setup

decode:
	@$(MAKE) -C tools/decode O=$(O)/decode

shim: setup-quiet
	@mkdir -p $(O) && flock -w 1800 $(O)/shim.lock $(MAKE) -C tools/shim O=$(O)/shim

suites: shim
	@SETUP_QUIET=1 tools/setup/suites-fetch
	@$(MAKE) -C igt-tests/opencl O=$(O)/opencl-suites suites
	@igt-tests/opencl/suites --platform $(or $(PLATFORM),kbl) --log $(O)/suites.log $(NAMES)

model: setup-quiet
	@mkdir -p $(O) && flock -w 1800 $(O)/model.lock $(MAKE) -C tools/model O=$(O)/model

# $(call replace-module,NEW,OLD): in one step, and only when they differ
replace-module = { cmp -s $(1) $(2) || { cp $(1) $(2).new && mv $(2).new $(2); }; }

# The module is built in a tree of links that looks like ours, one for each kernel: several kernels' objects do not meet.
# O= is the kernel's output folder: one that was given to us is not meant, and an empty one would win over the folder
# that the headers of 7.x name themselves. Two that build for one kernel do so one after the
# other, and a guest that is loading igen.ko meanwhile has the old one or the new one.
# $(call build-module,KDIR,SUFFIX-OF-THE-FOLDER,MORE-ARGUMENTS-OF-KBUILD)
define build-module
	@kdir=$$(realpath $(1)) || exit 1; \
	release=$$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $$kdir/include/generated/utsrelease.h) || exit 1; \
	dir=$(O)/module/$$release$(2); \
	echo "  MODULE  $$release$(2)"; \
	mkdir -p $$dir/drivers/gpu/drm && \
	exec 9> $$dir.lock && flock -w 1800 9 && \
	find $$dir -xtype l -delete && \
	cp -rsf $(CURDIR)/drivers/gpu/drm/igen $$dir/drivers/gpu/drm/ && \
	ln -sfn $(CURDIR)/include $$dir/include && \
	ln -sfn $(CURDIR)/tools $$dir/tools && \
	$(MAKE) -j$(JOBS) -C $$kdir O=$$kdir M=$$dir/drivers/gpu/drm/igen $(3) $(KBUILD_ARGS) modules && \
	$(call replace-module,$$dir/drivers/gpu/drm/igen/igen.ko,$$dir/igen.ko)
	$(if $(filter $(CACHE)/kernels/%,$(1)),$(call build-guest-modules,$(1),$(2),$(3)))
endef

# Beside it, for the kernels of the cache, modules for guests: the fences that tests signal, for kernels that have none of
# their own, awake, and coherency for kernels with kprobes.
define build-guest-modules
	@kdir=$$(realpath $(1)) || exit 1; \
	grep -q '^CONFIG_SW_SYNC=y' $$kdir/include/config/auto.conf || $(call build-guest-module,$(1),$(2),$(3),sw_sync)
	@$(call build-guest-module,$(1),$(2),$(3),awake)
	@kdir=$$(realpath $(1)) || exit 1; \
	! grep -q '^CONFIG_KRETPROBES=y' $$kdir/include/config/auto.conf || $(call build-guest-module,$(1),$(2),$(3),coherency)
endef

define build-guest-module
{ kdir=$$(realpath $(1)) || exit 1; \
	release=$$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $$kdir/include/generated/utsrelease.h) || exit 1; \
	dir=$(O)/module/$$release$(2); \
	mkdir -p $$dir/$(4) && \
	exec 9> $$dir.lock && flock -w 1800 9 && \
	ln -sf $(addprefix $(CURDIR)/,$(wildcard tools/vm/$(4)/Kbuild tools/vm/$(4)/*.[ch])) $$dir/$(4)/ && \
	$(MAKE) -C $$kdir O=$$kdir M=$$dir/$(4) $(3) $(KBUILD_ARGS) modules && \
	$(call replace-module,$$dir/$(4)/$(4).ko,$$dir/$(4).ko); }
endef

# Headers that are given need nothing that the set-up brings.
ifdef KDIR
module:
else
KDIR := $(CACHE)/kernels/6.1/build

module: setup-quiet
endif
	$(call build-module,$(KDIR))

# The driver with its KUnit tests in it, which run when it is loaded; for a kernel that has KUnit.
kunit-module: setup-quiet
	$(call build-module,$(CACHE)/kernels/debug/build,-kunit,CONFIG_DRM_IGEN_KUNIT_TEST=y)

modules: $(addprefix module-,$(KERNELS))

module-%: setup-quiet FORCE
	$(call build-module,$(CACHE)/kernels/$*/build)

source:
	@tools/package/source $(O)/source/igen

deb:
	@tools/package/deb $(O)/deb

igt-own: setup-quiet
	@mkdir -p $(O) && flock -w 1800 $(O)/igt-tests.lock $(MAKE) -C igt-tests O=$(O)/igt-tests

# A GPU that the model cannot be is refused before anything is built.
run:
	@tools/run --check $(if $(PLATFORM),--platform='$(PLATFORM)')
	@$(MAKE) all
	@tools/run $(if $(PLATFORM),--platform='$(PLATFORM)')

# TIER=A (to F, or several) runs those tiers of IGT alone, and SELECTION=fast, ci or all that part of them; a run that was
# stopped goes on.
igt: all
ifndef TIER
	@igt-tests/run-igt $(addprefix --platform=,$(PLATFORM))
endif
	@igt-tests/run-tiers $(addprefix --platform=,$(PLATFORM)) $(addprefix --selection=,$(SELECTION)) $(TIER)

# A plugin of QEMU's that sees the guest's instructions, for "igen-vm --coherency-plugin".
coherency-plugin:
	@$(MAKE) -C tools/vm/coherency/plugin O=$(O)/coherency

coherency: all coherency-plugin
	@tools/coherency $(RUNS)

bench: all
	@tools/bench $(if $(PLATFORM),--platform='$(PLATFORM)')

# Makefiles below have a variable of that name, too.
test:
	@env -u MAKEFLAGS -u TESTS tools/test $(TESTS)

# What a user does first on a machine that has one of these releases and nothing else: the set-up downloads everything. For long.
SUITES ?= bookworm trixie
SHORT_TESTS := 00-build 05-cmdgen 06-decode 07-batch 08-igt-tiers 10-model 30-igt-own 40-oracle 53-bringup

hosts:
	@for suite in $(SUITES); do \
		echo "== $$suite"; \
		tools/hosts --fresh $$suite sh -c 'make run && make test TESTS="$(SHORT_TESTS)"' || exit; \
	done

# PARTS="skl glk" tries those.
GEN9_PARTS := kbl kbl-gt1 kbl-gt3 kbl-gt4 skl skl-23eu skl-gt1 skl-gt3 skl-gt4 cfl cfl-gt1 cfl-gt3 aml aml-cfl whl whl-gt1 \
	whl-gt3 cml cml-gt1 bxt bxt-2x6 glk glk-2x6

gen9: all
	@IGEN_PARTS="$(or $(PARTS),$(GEN9_PARTS))" tools/test 45-gen9

# The debug kernel, and the driver for it with what tells KCOV where a call went: a build of its own, beside the plain one.
DEBUG_KDIR := $(CACHE)/kernels/debug/build

fuzz-build: model
	@SETUP_QUIET=1 tools/setup/kernel-build debug
	@O=$(O)/fuzz $(MAKE) module KDIR=$(DEBUG_KDIR) KBUILD_ARGS='KCOV_INSTRUMENT=y UBSAN_SANITIZE=y'
	@$(MAKE) -s -C tools/fuzz O=$(O)/fuzz

fuzz: fuzz-build
	@tools/fuzz/fuzz --minutes $(or $(MINUTES),5) --seed $(or $(SEED),1) --smp $(or $(SMP),2)

fuzz-model:
	@SETUP_QUIET=1 tools/setup/static-fetch libfuzzer
	@mkdir -p $(O) && flock -w 1800 $(O)/model.lock $(MAKE) -C tools/model O=$(O)/model fuzz
	@IGEN_BUILD=$(O) tools/model/tests/fuzz/fuzz --minutes $(or $(MINUTES),5) --seed $(or $(SEED),1) $(if $(PROGRAMS),--programs)

fuzz-parser:
	@$(MAKE) -C tools/parser O=$(O)/parser COUNT=$(or $(COUNT),10000000) SEED=$(or $(SEED),1) headers fuzz

fuzz-uhptr: all
	@for setting in $(or $(SETTINGS),default selfclear ignore late stale executed); do \
		IGEN_UHPTR_ROUNDS=$(or $(COUNT),10000) IGEN_UHPTR_SETTINGS=$$setting SEED=$(SEED) tools/test 44-ivy-bridge || exit; \
	done

eu-judge:
	@$(MAKE) -C tools/model/eu/judge O=$(O)/eu-judge MANY=$(or $(COUNT),1000000) FIRST=$(or $(SEED),1) judge

mutants: model igt-own
	@SETUP_QUIET=1 tools/setup/kernel-build debug
	@tools/mutants/run $(NAMES)

# What stock i915 gave in the runs of this build folder, for machines whose cache has none.
reference:
	@tools/vm/reference.py --record

# The scripts that run on the debug kernel, and more for the lines that these do not reach.
coverage:
	@rm -rf $(O)/coverage/run-*
	@IGEN_COVERAGE_RUN=1 tools/test 70-kunit 71-debug-lanes 72-fault-injection 75-coverage-run 80-coverage

lanes:
	@IGEN_LANES_LONG=1 tools/test 71-debug-lanes

builtin: model igt-own
	@tools/builtin

soak: all
	@IGEN_SOAK=$(or $(MINUTES),60) tools/tests.d/65-storms

# The module for one of the kernels with debugging aids is made as the lanes' is.
attack: model igt-own
	@$(MAKE) module KDIR=$(CACHE)/kernels/$(or $(KERNEL),6.1)/build
	@tools/attack --minutes $(or $(MINUTES),5) $(addprefix --seed=,$(SEED)) --smp $(or $(SMP),1) \
		--kernel $(or $(KERNEL),6.1) --transport $(or $(TRANSPORT),vfio-user) $(addprefix --only=,$(ONLY)) $(if $(SUSPEND),--suspend) \
		--devices $(or $(DEVICES),1) $(ATTACK_ARGS)

check:
	@tools/check

clean:
	rm -rf $(O)
