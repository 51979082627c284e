package main

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// libsecp returns libsecp256k1. Without it, libsecp skips the test, or fails it if BENCH_REQUIRE
// names the library.
func libsecp(t *testing.T) *peer.Libsecp {
	t.Helper()
	lib, err := peer.OpenLibsecp("../rust")
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("BENCH_REQUIRE"), ","), "libsecp256k1") {
			t.Fatal(err)
		}
		t.Skipf("without libsecp256k1: %v", err)
	}
	return lib
}

// TestRun checks that no case differs, and that each operation accepts cases and refuses others.
func TestRun(t *testing.T) {
	libsecp(t)
	round := 0
	for _, o := range operations() {
		round += o.share * unit
	}
	cases := strconv.Itoa(cputest.Cases(round, 100_000))
	var out bytes.Buffer
	if err := run([]string{"-rust", "../rust", "-seed", "7", "-cases", cases}, operations(),
		&out, t.Output()); err != nil {
		t.Error(err)
	}
	t.Log(out.String())
	for _, o := range operations() {
		var n [5]int
		_, row, found := strings.Cut(out.String(), "\n| "+o.name+" | ")
		if _, err := fmt.Sscanf(row, "%d | %d | %d | %d | %d", &n[0], &n[1], &n[2], &n[3],
			&n[4]); !found || err != nil {
			t.Errorf("%s: no row: %v", o.name, err)
		}
		everything := strings.HasPrefix(o.name, "ElligatorSwift")
		if n[0] == 0 || n[1] == 0 || n[2] == 0 != everything || n[3] == 0 ||
			n[4] == 0 != (o.many == nil) {
			t.Errorf("%s: %d", o.name, n)
		}
	}
}

// TestFault checks that one wrong answer of one level is reported, with its case, and that run
// returns an error.
func TestFault(t *testing.T) {
	libsecp(t)
	all, calls := operations(), 0
	one, many := all[1].one, all[1].many
	fault := func(answer []byte) []byte {
		if cpu.Implementations()[0] == "portable" {
			answer = append(answer, 0)
		}
		return answer
	}
	all[1].one = func(c [][]byte) []byte { // each level calls it for all 88 cases, or for none
		answer := one(c)
		if calls++; calls%88 == 0 {
			answer = fault(answer)
		}
		return answer
	}
	all[1].many = func(cases [][][]byte, exact bool) [][]byte {
		answers := many(cases, exact)
		answers[87] = fault(answers[87])
		return answers
	}
	var errs bytes.Buffer
	err := run([]string{"-rust", "../rust", "-seed", "4", "-cases", "1112"}, all, io.Discard, &errs)
	if err == nil || err.Error() != "1 answers differ" ||
		!strings.Contains(errs.String(), "ECDSA verify, low s, round 0, case 87: ") ||
		!strings.Contains(errs.String(), " by portable (), in rows: ") {
		t.Errorf("%v\n%s", err, &errs)
	}
}

// TestSigned checks that the crafted signatures reach the cases for which they are made.
func TestSigned(t *testing.T) {
	g := newGenerator(5, libsecp(t))
	reached := map[string]int{}
	for range 8000 {
		sig, _ := g.signed()
		ok := g.lib.Verify(g.lib.Key(sig.key), sig.hash, g.lib.Low(g.lib.Signature(sig.rs)))
		r := new(big.Int).SetBytes(sig.rs[:32])
		switch {
		case ok && r.BitLen() < 21 && sig.id&2 != 0:
			reached["x(R) ≥ n"]++
		case ok && r.BitLen() < 21:
			reached["x(R) < p − n"]++
		case ok && new(big.Int).SetBytes(sig.hash).Sign() == 0:
			reached["u1 = 0"]++
		case ok:
			reached["valid"]++
		default:
			reached["invalid"]++
		}
	}
	if t.Log(reached); len(reached) != 5 || slices.Min([]int{reached["x(R) ≥ n"],
		reached["x(R) < p − n"], reached["u1 = 0"], reached["valid"], reached["invalid"]}) < 50 {
		t.Error("a case is rare")
	}
}
