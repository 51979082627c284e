package report

import (
	"fmt"

	"github.com/koblitz-go/koblitz/bench/internal/harness"
	"github.com/koblitz-go/koblitz/bench/internal/peer"
)

// A profile is a published comparison, row by row, with what this run measured
// beside it. The published figures come from other machines: what can be set
// against them are the ratios.
type profile struct {
	title, source string
	columns       []string
	rows          [][]string
}

func (r figures) of(op, name string) string {
	o, _ := r.run.Find(op)
	if x, ok := o.Of(name); ok {
		return nanoseconds(x.NS())
	}
	return "not measured"
}

func (r figures) ratio(op, name string) string {
	o, _ := r.run.Find(op)
	base, ok1 := o.Of(peer.Koblitz)
	x, ok2 := o.Of(name)
	if !ok1 || !ok2 {
		return "not measured"
	}
	m, _, _ := x.Ratio(base)
	return fmt.Sprintf("%.2f", m)
}

func (r figures) allocs(op string) string {
	o, _ := r.run.Find(op)
	if x, ok := o.Of(peer.Koblitz); ok {
		return fmt.Sprintf("%.0f B, %.0f", x.Bytes, x.Allocs)
	}
	return "not measured"
}

type figures struct{ run *harness.Run }

const cannot = "this machine cannot run it"

func profiles(run *harness.Run) []profile {
	r := figures{run}
	signer := profile{title: "p256k1 (Go): signer comparison", source: "published February 2026, Ryzen 5 7520U; the p256k1 Go module is not among the peers",
		columns: []string{"row", "published", "published against libsecp256k1", "published bytes, allocations", "koblitz here", "libsecp256k1 / koblitz here", "koblitz bytes, allocations"}}
	for _, x := range [][]string{
		{"key derivation", "keygen", "35 µs", "1.7× slower", "256 B, 4"},
		{"sign", "schnorr-sign-unchecked", "36 µs", "0.9×", "576 B, 10"},
		{"verify", "schnorr-verify-parse", "75 µs", "1.8× slower", "128 B, 4"},
		{"ECDH", "ecdh-sha256", "110 µs", "not in our notes", "209 B, 5"},
	} {
		signer.rows = append(signer.rows, []string{x[0], x[2], x[3], x[4], r.of(x[1], peer.Koblitz), r.ratio(x[1], "libsecp256k1"), r.allocs(x[1])})
	}
	arithmetic := profile{title: "p256k1 (Go): field, scalar, inversion, normalization", source: "the same",
		columns: []string{"row", "published", "koblitz here", "libsecp256k1 here", "dcrec here"}}
	for _, x := range [][]string{
		{"field multiply", "field-mul", "25.5 ns"}, {"field square", "field-square", "20.8 ns"}, {"scalar multiply", "scalar-mul", "30.5 ns"},
		{"inverse", "field-inv-var", "4.5 µs"},
	} {
		arithmetic.rows = append(arithmetic.rows, []string{x[0], x[2], r.of(x[1], peer.Koblitz), r.of(x[1], "libsecp256k1"), r.of(x[1], "dcrec")})
	}
	gain := func(name string) string {
		o1, _ := run.Find("normalize-1")
		o64, _ := run.Find("normalize-64")
		a, ok1 := o1.Of(name)
		b, ok2 := o64.Of(name)
		if !ok1 || !ok2 {
			return "not measured"
		}
		return fmt.Sprintf("%.1f×", a.NS()/b.NS())
	}
	arithmetic.rows = append(arithmetic.rows, []string{"normalization of 64 points against one by one", "29.5×", gain(peer.Koblitz), gain("libsecp256k1"), gain("dcrec")})

	msm := profile{title: "Multi-scalar multiplication: three libraries, µs per point", source: "published, Apple silicon; libsecp256k1 through Rust's p256k1 there, its ecmult_multi here",
		columns: []string{"row", "published", "here"}}
	for _, x := range [][]string{
		{"libsecp256k1, n = 2", "12.9", "msm-2", "libsecp256k1"}, {"libsecp256k1, n = 64", "7.0", "msm-64", "libsecp256k1"}, {"libsecp256k1, n = 1024", "4.6", "msm-1024", "libsecp256k1"},
		{"ark, n = 2", "44", "msm-2", "ark"}, {"ark, n = 64", "13.2", "msm-64", "ark"}, {"ark, n = 1024", "7.9", "msm-1024", "ark"},
		{"gnark, n = 2", "81", "msm-2", "gnark"}, {"gnark, n = 64", "15.2", "msm-64", "gnark"}, {"gnark, n = 1024", "7.9", "msm-1024", "gnark"},
	} {
		msm.rows = append(msm.rows, []string{x[0], x[1], r.of(x[2], x[3])})
	}
	msm.rows = append(msm.rows, []string{"one after another (three libraries)", "11.6–12.2, 44–61, 27–49", "koblitz, n = 64: " + r.of("msm-naive-64", peer.Koblitz)})

	ultra := profile{title: "UltrafastSecp256k1: CPU table", source: "published; the library is not among the peers unless it is named with -library",
		columns: []string{"row", "published", "koblitz here"},
		rows: [][]string{
			{"x86-64 field multiply", "33 ns", r.of("field-mul", peer.Koblitz)},
			{"x86-64 k·P", "110 µs", r.of("point-mul", peer.Koblitz)},
			{"x86-64 k·G", "5 µs", r.of("base-mul", peer.Koblitz)},
			{"RISC-V field multiply", "198 ns", cannot}, {"RISC-V k·P", "672 µs", cannot}, {"RISC-V k·G", "40 µs", cannot},
			{"batch inverse, an element", "92–140 ns", r.of("field-inv-batch-1000", peer.Koblitz)},
			{"CUDA, RTX 5060 Ti, k·P", "3.75 M/s", cannot}, {"CUDA, k·G", "4.63 M/s", cannot}, {"CUDA, field multiply", "4.1 G/s", cannot},
		}}
	return []profile{signer, arithmetic, msm, ultra}
}
