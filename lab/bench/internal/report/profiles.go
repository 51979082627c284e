package report

import (
	"fmt"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A profile is a comparison that others have published, with a measurement of this run next to each
// of its rows. The published times were measured on other machines, so only ratios can be compared.
type profile struct {
	title, source string
	columns       []string
	rows          [][]string
}

type figures struct{ run *harness.Run }

const (
	unmeasured = "not in this run"
	cannot     = "this machine cannot run it"
)

func (r figures) result(op, name string) (harness.Result, bool) {
	o, _ := r.run.Find(op)
	return o.Of(name)
}

// of returns the named peer's time for operation op.
func (r figures) of(op, name string) string {
	if x, ok := r.result(op, name); ok {
		return harness.Nanoseconds(x.NS())
	}
	return unmeasured
}

// device returns the rate at which the GPU processes the operation of row id.
func (r figures) device(id string) string {
	if r.run.Device == nil {
		return cannot
	}
	row, ok := r.run.Device.Best(id)
	if !ok {
		return unmeasured
	}
	return fmt.Sprintf("%s: %.3g M/s", r.run.Device.Device, row.Rate(row.Kernel)/1e6)
}

// beside returns the named peer's time for operation op, and its ratio to koblitz's time.
func (r figures) beside(op, name string) string {
	x, ok := r.result(op, name)
	base, ours := r.result(op, peer.Koblitz)
	switch {
	case !ok:
		return unmeasured
	case !ours:
		return harness.Nanoseconds(x.NS())
	}
	m, _, _ := x.Ratio(base)
	return fmt.Sprintf("%s (%s)", harness.Nanoseconds(x.NS()), times(m))
}

// against returns the ratio of the named peer's time for operation op to koblitz's time.
func (r figures) against(op, name string) string {
	x, ok1 := r.result(op, name)
	base, ok2 := r.result(op, peer.Koblitz)
	if !ok1 || !ok2 {
		return unmeasured
	}
	m, _, _ := x.Ratio(base)
	return times(m)
}

// allocs returns the bytes that the named peer allocates in one operation op, and the number of
// allocations.
func (r figures) allocs(op, name string) string {
	x, ok := r.result(op, name)
	switch {
	case !ok:
		return unmeasured
	case x.Outside:
		return "not counted"
	}
	return fmt.Sprintf("%.0f B, %.0f", x.Bytes, x.Allocs)
}

// gain returns the ratio of the named peer's time for the operation slow to its time for the
// operation fast.
func (r figures) gain(slow, fast, name string) string {
	a, ok1 := r.result(slow, name)
	b, ok2 := r.result(fast, name)
	if !ok1 || !ok2 {
		return unmeasured
	}
	return times(a.NS() / b.NS())
}

func profiles(run *harness.Run) []profile {
	r := figures{run}
	return []profile{r.signers(), r.signersThen(), r.arithmetic(), r.sums(), r.ultra(), r.ultraThen()}
}

func (r figures) signers() profile {
	p := profile{
		title: "p256k1 (Go): signer comparison",
		source: "Published in February 2026, Ryzen 5 7520U. " +
			"The p256k1 Go module cannot be had from the Go module proxy, " +
			"so it is not among the peers.",
		columns: []string{
			"row", "published", "against libsecp256k1", "bytes, allocations",
			"koblitz here", "bytes, allocations",
			"libsecp256k1 here", "btcec here", "bytes, allocations",
		},
	}
	for _, x := range [][5]string{
		{"key derivation", "keygen", "35 µs", "1.7× slower", "256 B, 4"},
		{"sign", "schnorr-sign-unchecked", "36 µs", "0.9×", "576 B, 10"},
		{"verify", "schnorr-verify-parse", "75 µs", "1.8× slower", "128 B, 4"},
		{"ECDH", "ecdh-x", "110 µs", "not known to us", "209 B, 5"},
	} {
		c := x[1]
		if c == "ecdh-x" {
			c = "ecdh-sha256" // libsecp256k1 has no operation for the x coordinate alone
		}
		p.rows = append(p.rows, []string{
			x[0], x[2], x[3], x[4],
			r.of(x[1], peer.Koblitz), r.allocs(x[1], peer.Koblitz),
			r.beside(c, "libsecp256k1"), r.beside(x[1], "btcec"), r.allocs(x[1], "btcec"),
		})
	}
	return p
}

func (r figures) signersThen() profile {
	p := profile{
		title: "p256k1 (Go): signer comparison of November 2025, all three signers",
		source: "bench/BENCHMARK_REPORT.md of its repository, Ryzen 5 PRO 4650G. " +
			"libsecp256k1 was called through cgo there and is called without cgo here.",
		columns: []string{
			"row", "signer", "published", "bytes, allocations",
			"here", "measured here", "bytes, allocations",
		},
	}
	for _, x := range []struct {
		row, op, c string
		published  [3][2]string
	}{
		{"key derivation", "keygen", "keygen", [3][2]string{
			{"55.1 µs", "256 B, 4"}, {"64.2 µs", "368 B, 7"}, {"271 µs", "983394 B, 9"},
		}},
		{"sign", "schnorr-sign-unchecked", "schnorr-sign-unchecked", [3][2]string{
			{"29.2 µs", "576 B, 9"}, {"226 µs", "2193 B, 38"}, {"53.0 µs", "128 B, 3"},
		}},
		{"verify", "schnorr-verify-parse", "schnorr-verify-parse", [3][2]string{
			{"138 µs", "64 B, 2"}, {"178 µs", "1120 B, 18"}, {"44.8 µs", "96 B, 2"},
		}},
		{"ECDH", "ecdh-x", "ecdh-sha256", [3][2]string{
			{"103 µs", "241 B, 6"}, {"129 µs", "832 B, 13"}, {"126 µs", "160 B, 3"},
		}},
	} {
		for i, s := range [...]struct{ then, now string }{
			{"P256K1Signer", peer.Koblitz},
			{"BtcecSigner", "btcec"},
			{"libsecp256k1 by cgo", "libsecp256k1"},
		} {
			op := x.op
			if s.now == "libsecp256k1" {
				op = x.c
			}
			p.rows = append(p.rows, []string{
				x.row, s.then, x.published[i][0], x.published[i][1],
				s.now, r.of(op, s.now), r.allocs(op, s.now),
			})
		}
	}
	return p
}

func (r figures) arithmetic() profile {
	p := profile{
		title:  "p256k1 (Go): field, scalar, inversion, batch and normalization",
		source: "Published in February 2026, Ryzen 5 7520U.",
		columns: []string{
			"row", "published", "koblitz here", "libsecp256k1 here", "dcrec here", "gnark here",
		},
	}
	row := func(label, published string, f func(name string) string) {
		line := []string{label, published}
		for _, name := range []string{peer.Koblitz, "libsecp256k1", "dcrec", "gnark"} {
			line = append(line, f(name))
		}
		p.rows = append(p.rows, line)
	}
	for _, x := range [][3]string{
		{"field multiply", "field-mul", "25.5 ns"}, {"field square", "field-square", "20.8 ns"},
		{"scalar multiply", "scalar-mul", "30.5 ns"}, {"inverse", "field-inv-var", "4.5 µs"},
	} {
		row(x[0], x[2], func(name string) string { return r.of(x[1], name) })
	}
	row("batch verification of 64 against one by one", "no gain", func(name string) string {
		return r.gain("schnorr-batch-1", "schnorr-batch-64", name)
	})
	row("normalization of 64 points against one by one", "29.5×", func(name string) string {
		return r.gain("normalize-1", "normalize-64", name)
	})
	return p
}

func (r figures) sums() profile {
	p := profile{
		title: "Multi-scalar multiplication: three libraries, µs per point",
		source: "alinush.github.io/secp256k1-msm, 2026, Apple silicon. " +
			"libsecp256k1 through the Rust crate p256k1, there and here; full-width random scalars.",
		columns: []string{"row", "published", "here", "koblitz here"},
	}
	libraries := []struct {
		title, name, naive string
		published          [3]string
	}{
		{"libsecp256k1 (p256k1)", "p256k1", "11.6–12.2", [3]string{"12.9", "7.0", "4.6"}},
		{"ark-secp256k1", "ark", "44–61", [3]string{"44", "13.2", "7.9"}},
		{"gnark-crypto", "gnark", "27–49", [3]string{"81", "15.2", "7.9"}},
	}
	for _, l := range libraries {
		for i, n := range [...]int{2, 64, 1024} {
			op := fmt.Sprintf("msm-%d", n)
			p.rows = append(p.rows, []string{
				fmt.Sprintf("%s, n = %d", l.title, n), l.published[i],
				r.beside(op, l.name), r.of(op, peer.Koblitz),
			})
		}
	}
	for _, l := range libraries {
		p.rows = append(p.rows, []string{
			l.title + ", one after another", l.naive,
			r.beside("msm-naive-64", l.name), r.of("msm-naive-64", peer.Koblitz),
		})
	}
	return p
}

func (r figures) ultra() profile {
	p := profile{
		title: "UltrafastSecp256k1: CPU table",
		source: "docs/BENCHMARKS.md of its repository: x86-64 on Linux, Clang 19. " +
			"The library itself becomes a peer with -library.",
		columns: []string{"row", "published", "koblitz here", "libsecp256k1 here"},
	}
	for _, x := range [][3]string{
		{"field multiply", "33 ns", "field-mul"}, {"field square", "32 ns", "field-square"},
		{"field add", "11 ns", "field-add"}, {"field subtract", "12 ns", "field-sub"},
		{"field inverse", "5 µs", "field-inv-var"},
		{"point add", "521 ns", "point-add"}, {"point double", "278 ns", "point-double"},
		{"k·P", "110 µs", "point-mul"}, {"k·G", "5 µs", "base-mul"},
		{"batch inverse of 100, an element", "140 ns", "field-inv-batch-100"},
		{"batch inverse of 1000, an element", "92 ns", "field-inv-batch-1000"},
	} {
		ours := r.of(x[2], peer.Koblitz)
		p.rows = append(p.rows, []string{x[0], x[1], ours, r.beside(x[2], "libsecp256k1")})
	}
	for _, x := range [][2]string{
		{"RISC-V (SiFive U74), field multiply", "198 ns"}, {"RISC-V, k·P", "672 µs"},
		{"RISC-V, k·G", "40 µs"},
	} {
		p.rows = append(p.rows, []string{x[0], x[1], cannot, cannot})
	}
	for _, x := range [][3]string{
		{"CUDA (RTX 5060 Ti), k·P", "3.75 M/s", "kP"}, {"CUDA, k·G", "4.63 M/s", "kG-16"},
		{"CUDA, field multiply, operands in memory", "4.1 G/s", "mul"},
	} {
		p.rows = append(p.rows, []string{x[0], x[1], r.device(x[2]), cannot})
	}
	return p
}

func (r figures) ultraThen() profile {
	p := profile{
		title: "UltrafastSecp256k1: beside libsecp256k1",
		source: "docs/BENCHMARKS.md of its repository, the complete run of 24 March 2026: " +
			"i5-14400F, Clang 19. Ratios to libsecp256k1 can be compared between machines.",
		columns: []string{
			"row", "published", "libsecp256k1 there", "times as long as it",
			"koblitz here", "libsecp256k1 here", "times as long as koblitz",
		},
	}
	for _, x := range []struct {
		row, op    string
		ultra, lib float64
	}{
		{"field_mul", "field-mul", 10.1, 11.0}, {"field_sqr", "field-square", 9.0, 8.6},
		{"field_inv", "field-inv-var", 746.6, 775.2}, {"scalar_mul", "scalar-mul", 16.0, 19.9},
		{"scalar_inv, constant time", "scalar-inv", 776.2, 1466.1},
		{"pubkey_create", "keygen", 5906, 13102}, {"ecmult, a·P + b·G", "double-mul", 19429, 19071},
		{"ECDSA verify", "ecdsa-verify", 20218, 20507},
		{"Schnorr verify, cached", "schnorr-verify", 20741, 20459},
		{"ECDSA sign, constant time", "ecdsa-sign-unchecked", 12259, 16314},
		{"Schnorr sign, constant time", "schnorr-sign-unchecked", 10411, 12467},
		{"ecrecover", "recover", 26801, 24472},
	} {
		p.rows = append(p.rows, []string{
			x.row, harness.Nanoseconds(x.ultra), harness.Nanoseconds(x.lib), times(x.lib / x.ultra),
			r.of(x.op, peer.Koblitz), r.of(x.op, "libsecp256k1"), r.against(x.op, "libsecp256k1"),
		})
	}
	return p
}
