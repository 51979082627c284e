package proof

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mutants returns copies of the block, each with one error: an instruction that is missing, one
// that ignores the carry or leaves none, lo for hi, add for sub, another register, exchanged
// operands of a difference or a selection, a constant that is wrong by one.
func (b *block) mutants() (out []*block) {
	plant := func(k int, insts ...string) {
		if len(insts) == 1 && insts[0] == b.insts[k] {
			return
		}
		out = append(out, &block{fmt.Sprintf("%d: %s → %v", k, b.insts[k], insts), b.regs,
			slices.Concat(b.insts[:k], insts, b.insts[k+1:])})
	}
	for k, inst := range b.insts {
		plant(k)
		op, dst, args := parts(inst)
		with := func(op, dst string, args []string) {
			plant(k, op+" "+dst+", "+strings.Join(args, ", ")+";")
		}
		for _, r := range [][2]string{{"addc.", "add."}, {"subc.", "sub."}, {"madc.", "mad."},
			{".cc.", "."}, {".lo.", ".hi."}, {".hi.", ".lo."}, {"add.", "sub."}, {"sub.", "add."},
			{"and.", "or."}, {"or.", "and."}, {"xor.", "or."}, {"shr.u", "shr.s"}, {"shr.s", "shr.u"},
			{"setp.lt.", "setp.le."}, {"setp.gt.", "setp.ge."}} {
			if strings.HasPrefix(op, r[0]) || r[0][0] == '.' {
				with(strings.Replace(op, r[0], r[1], 1), dst, args)
			}
		}
		for j, name := range args {
			for _, delta := range []int{-1, 1} {
				other := slices.Clone(args)
				first := strings.IndexAny(name, "0123456789")
				x, err := strconv.Atoi(name[first:])
				if err != nil || x+delta < 0 {
					continue
				}
				other[j] = name[:first] + strconv.Itoa(x+delta)
				with(op, dst, other)
			}
		}
		if strings.HasPrefix(op, "sub") || strings.HasPrefix(op, "selp") {
			with(op, dst, append([]string{args[1], args[0]}, args[2:]...))
		}
	}
	return out
}

// result returns what b leaves as its result in the interpreter.
func (b *block) result(in []uint32) ([8]uint32, error) {
	var out [8]uint32
	ran, err := b.run(in)
	if err != nil {
		return out, err
	}
	for k, inst := range b.insts {
		if _, dst, _ := parts(inst); dst[0] == '%' {
			x, _ := strconv.Atoi(dst[1:])
			out[x] = uint32(ran[k])
		}
	}
	return out, nil
}

// TestPlanted plants errors in the blocks and functions, and prints their number and how many the
// proofs find. The code without an error must be proven with the same limit. An error that is not
// found must not change a result in the interpreter. The test plants at most 10 errors in a block,
// or 300 with KOBLITZ_DEEP set, at equal distances from a random one.
func TestPlanted(t *testing.T) {
	most := 10
	if os.Getenv("KOBLITZ_DEEP") != "" {
		most = 300
	}
	for _, c := range claims {
		t.Run(c.block, func(t *testing.T) {
			b := of(t, &c)
			r := rand.New(rand.NewPCG(rand.Uint64(), 1))
			steps, err := c.prove(b, c.inputs(r), 200_000)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.prove(b, c.inputs(r), 2*steps); err != nil {
				t.Fatalf("without an error: %v", err)
			}
			count, found := 0, 0
			all := b.mutants()
			step := (len(all) + most - 1) / most
			for k := r.IntN(step); k < len(all); k += step {
				m := all[k]
				count++
				if _, err := c.prove(m, c.inputs(r), 2*steps); errors.Is(err, errRule) {
					t.Fatalf("%s: %v", m.name, err)
				} else if err != nil {
					found++
					continue
				}
				for range 50 {
					in := c.inputs(r)
					want, err := b.result(in)
					if err != nil {
						t.Fatal(err)
					}
					if got, err := m.result(in); err != nil || got != want {
						t.Fatalf("not found: %s, which changes the result for %#x", m.name, in)
					}
				}
				t.Logf("not found, and without effect: %s", m.name)
			}
			t.Logf("%d of %d errors found, of %d that can be planted", found, count, len(all))
			if found == 0 {
				t.Error("no error was found")
			}
		})
	}
}
