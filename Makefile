# make bench                       every operation, beside every peer
# make bench ARGS='-quick'         less than a minute; -help lists the flags
# make bench-report REPORT=folder  the same, with report.html, report.md, run.json
# Paths in ARGS are absolute, or relative to bench.
ARGS ?=
REPORT ?= $(CURDIR)/bench/report

.PHONY: bench bench-report

bench:
	cd bench && GOWORK=off go run . $(ARGS)

bench-report:
	cd bench && GOWORK=off go run . -report $(abspath $(REPORT)) $(ARGS)
