# make help                        this list
.PHONY: help

help:
	@grep '^# ' Makefile | cut -c3-

# make bench                       every operation, beside every peer
# make bench ARGS='-quick'         less than a minute; -help lists the flags
# make bench-report REPORT=folder  the same, with report.md and run.json
# Paths in ARGS are absolute, or relative to lab/bench.
ARGS ?=
REPORT ?= $(CURDIR)/lab/bench/report

# make profile                     internal/profile, beside what a sweep measures now, at each level
#                                  that this CPU has; OFF lists the values of KOBLITZ_CPU_OFF
OFF ?= none AVX512IFMA AVX512F AVX512F,AVX-IFMA lanes all

.PHONY: bench bench-report profile

profile:
	for off in $(OFF); do \
		echo "KOBLITZ_CPU_OFF=$$off"; \
		KOBLITZ_CPU_OFF=$$off go test -run '^$$' -bench '^BenchmarkProfile' -benchtime 30x -timeout 1h \
			./internal/vartime/sums ./internal/vartime/lanewise ./internal/engine ./internal/ecmult || exit; \
	done

bench:
	cd lab/bench && GOWORK=off go run . $(ARGS)

bench-report:
	cd lab/bench && GOWORK=off go run . -report $(abspath $(REPORT)) $(ARGS)

# make bench-gpu                   a GPU in four minutes: calls and kernels, checked by the CPU
# make bench-gpu ARGS='-only ECDSA'  some of them; ARGS=-help lists the flags
.PHONY: bench-gpu

bench-gpu:
	cd gpu/lab && GOWORK=off CGO_ENABLED=0 go run ./cmd/koblitz-gpubench $(ARGS)

# make pairs OLD=commit            this tree beside an older one, in turns; ARGS=-help lists the flags
OLD ?=

.PHONY: pairs

pairs:
	cd lab/bench && GOWORK=off go run ./pairs -old '$(OLD)' $(ARGS)

# make bench-compat                existing software with the drop-ins' replace lines and without,
#                                  in turns; ARGS=-help lists the flags (docs/drop-in.md)
.PHONY: bench-compat

bench-compat:
	cd lab/bench && GOWORK=off go run ./pairs -dropins $(ARGS)

# make acceptance                  what is too long for CI: hours. PARTS='fuzz data' runs those parts
#                                  alone; .ci/acceptance says which there are, and the variables
PARTS ?=

.PHONY: acceptance

acceptance:
	bash .ci/acceptance $(PARTS)

# make release VERSION=v1.2.3      archives for six platforms, with manual, completions, licences and
#                                  SBOM, wheels for five, and the checksums of all, in DIST: from the
#                                  same sources the same bytes. The tree must be the tagged commit;
#                                  versions v0.0.0-… are built from any tree
# make release … GPU=yes           also archives for GPUs, with machine code (needs pip and clang-15)
# make wheels VERSION=v0.0.0-mine  the wheel of the Python package for this machine, and the line of
#                                  pip that installs it; PLATFORMS=all builds those for all five
VERSION ?=
DIST ?= $(CURDIR)/dist
EPOCH ?= $(shell git log -1 --format=%ct)
# platforms such as linux/amd64, separated by commas; all if it is empty
PLATFORMS ?=
ONLY =
GPU =

.PHONY: release wheels

wheels:
	@$(MAKE) release ONLY=-wheels PLATFORMS='$(if $(filter all,$(PLATFORMS)),,$(or \
		$(PLATFORMS),$(shell go env GOOS)/$(shell go env GOARCH)))'
	@echo python3 -m pip install '$(DIST)'/*.whl

release:
	$(if $(GPU),cd gpu/lab && GOWORK=off CGO_ENABLED=0 go run ./cmd/koblitz-gpubench \
		-compile all -cubin ../kernels/cubin)
	cd cmd/koblitz && go run ./release $(ONLY) -version '$(VERSION)' -o '$(DIST)' -time '$(EPOCH)' \
		$(if $(GPU),-gpu) $(if $(PLATFORMS),-platforms '$(PLATFORMS)')
