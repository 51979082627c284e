package interp_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/contract"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
)

// loadAll and end are the beginning and the end of toy programs. Their arguments are at args: the
// pointer "out" to 4 words that hold no value (at offset 0), the pointer "in" to 4 secret words
// (8), the public number n = 3 (16), and the secret number k = 3 (24). The result "ok" is at offset
// 40.
const (
	loadAll = `
		LD [args+0], R0
		LD [args+8], R1
		LD [args+16], R2
		LD [args+24], R3
	`
	end = `
		LD [args+16], R2
		ST R2, [args+40]
		RET
	`
)

// TestToyRules checks that this package finds each kind of fault without help from the table of
// amd64. It plants each fault in a toy program, and also runs similar programs without a fault,
// which must pass.
func TestToyRules(t *testing.T) {
	for _, test := range []struct {
		name, want string // name of the test, and substring of the fault's text (empty: no fault)
		text       string
	}{
		{"a sound program", "", loadAll + `
			LD [R1+0], R4
			LD [R1+8], R5
			ADD R4, R5
			ADC R4, R4
			AND R3, R4
			MUL R3, R4, R5
			ST R5, [R0+24]
		` + end},
		{"a loop of public length", "", loadAll + `
		again:
			ADD #-1, R2
			BNE again
		` + end},

		{"a branch on a secret", "jumps on a secret",
			loadAll + "AND R3, R3\nBEQ done\nNOP\ndone:" + end},
		{"a branch on a secret that was stored", "jumps on a secret", loadAll + `
			ST R3, [R0+0]
			LD [R0+0], R4
			AND R4, R4
			BEQ done
			NOP
		done:` + end},
		{"a branch on the carry of secrets", "jumps on a secret", loadAll + `
			LD [R1+0], R4
			ADD R4, R4
			LD #0, R5
			ADC R5, R5
			BEQ done
			NOP
		done:` + end},
		{"a secret in an address", "address from a secret in R0",
			loadAll + "ADD R3, R0\nST R2, [R0+0]" + end},
		{"an instruction of varying time", "not an instruction of constant time",
			loadAll + "DIV R2, R2" + end},
		{"a secret in a vector at the end", "leaves a secret in vector register 1",
			loadAll + "VLD [R1+0], V1\nVEND" + end},
		{"a secret in a vector, wiped", "", loadAll + "VLD [R1+0], V1\nVSUB V1, V1, V1\nVEND" + end},

		{"a load past the end", "8 bytes at offset 32 of in, which has 32",
			loadAll + "LD [R1+32], R4" + end},
		{"a vector across the end", "8 bytes at offset 32 of in, which has 32",
			loadAll + "VLD [R1+24], V1" + end},
		{"a load across the end", "8 bytes at offset 28 of in, which has 32", loadAll + "LD [R1+28], R4" +
			end},
		{"a store before the start", "offset -8 of out", loadAll + "ST R2, [R0-8]" + end},
		{"a load from nowhere", "outside all memory", loadAll + "LD [R2+0], R4" + end},
		{"a store to an input", "may not write in", loadAll + "ST R2, [R1+0]" + end},
		{"a store to an argument", "writes the arguments", loadAll + "ST R2, [args+8]" + end},
		{"a load of what was not written", "byte 0 of out, which holds no value",
			loadAll + "LD [R0+0], R4" + end},

		{"a register that holds nothing", "reads register R4", loadAll + "ADD R4, R2" + end},
		{"a vector that holds nothing", "reads V2", loadAll + "VLD [R1+0], V1\nVADD V1, V2, V1" + end},
		{"a flag that holds nothing", "reads C, which is undefined", loadAll + "ADC R2, R2" + end},
		{"the linker's register", "reads register R6",
			loadAll + "LD #1, R6\nLD [data+0], R4\nADD R6, R4" + end},
		{"the caller's register", "writes the caller's register", loadAll + "ADD R2, R7" + end},
		{"vectors that are not released", "vectors are not released",
			loadAll + "VLD [R1+0], V1\nVSUB V1, V1, V1" + end},
		{"a result that is not set", "result byte 40", loadAll + "RET"},
		{"no return", "past the end", loadAll},
		{"an endless loop", "no return after",
			loadAll + "ADD #0, R2\nagain:\nADD #0, R2\nBNE again" + end},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			p, err := assembleToy(toy(2), test.text, 5)
			if err != nil {
				t.Fatal(err)
			}
			m := p.NewMachine()
			m.ConstantTime = true
			out := m.NewRegion("out", 32, interp.Read|interp.Write)
			in := m.NewRegion("in", 32, interp.Read)
			in.FillWords(0, []uint64{1, 2, 3, ^uint64(0)}, true)
			m.SetArg(0, out.Address(), false)
			m.SetArg(8, in.Address(), false)
			m.SetArg(16, 3, false)
			m.SetArg(24, 3, true)
			want(t, m.Run(), test.want)
		})
	}
}

// want fails the test if err is not a fault whose text contains the string text. If text is empty,
// err must be nil.
func want(t *testing.T, err error, text string) {
	t.Helper()
	var f *interp.Fault
	switch {
	case text == "" && err == nil:
	case text == "" || !errors.As(err, &f) || !strings.Contains(f.Reason, text):
		t.Errorf("%v, want %q", err, text)
	}
}

// TestToyClears checks that a kernel passes only if it clears the registers that hold secrets at
// entry.
func TestToyClears(t *testing.T) {
	clear := func(general, vectors, masks int) (text string) {
		for k := range general {
			text += fmt.Sprintf("LD #0, R%d\n", k)
		}
		for k := range vectors {
			text += fmt.Sprintf("VSUB V%d, V%[1]d, V%[1]d\n", k)
		}
		for k := range masks {
			text += fmt.Sprintf("VTST V0, K%d\n", k)
		}
		return text + "VEND\nST R0, [args+40]\nRET"
	}
	for _, x := range []struct {
		general, vectors, masks int
		want                    string
	}{
		{7, 2, 2, ""},
		{6, 2, 2, "does not clear register R6"},
		{7, 1, 2, "does not clear lane 0 of vector register 1"},
		{7, 2, 1, "does not clear mask register 1"},
	} {
		p, err := assembleToy(toy(2), clear(x.general, x.vectors, x.masks))
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMachine()
		m.Clears = &interp.Registers{Vectors: 2, Lanes: 2, Masks: true}
		want(t, m.Run(), x.want)
	}
	if _, err := assembleToy(toy(2), "LDX R0, R1"); err == nil ||
		!strings.Contains(err.Error(), "does not know") {
		t.Error(err)
	}
}

// sums returns calls of a kernel that adds the number in[0..1] n times to the number in[2..3]. The
// result has three words.
func sums(r *rand.Rand, n int, word func() uint64) (calls []*contract.Call) {
	for range n {
		in := []uint64{word(), word(), word(), word()}
		times := 1 + r.Uint64N(3)
		want := new(big.Int).Mul(contract.Int(in[:2]), new(big.Int).SetUint64(times))
		want.Add(want, contract.Int(in[2:]))
		calls = append(calls, &contract.Call{
			Name:    fmt.Sprintf("%d times %#x", times, in),
			Buffers: []contract.Buffer{{Param: "in", Words: 4, In: in}, {Param: "out", Words: 3, Out: true}},
			Numbers: []contract.Number{{Param: "n", Value: times}},
			Results: []string{"ok"},
			Check: func(v contract.Values) error {
				if got := contract.Int(v["out"]); got.Cmp(want) != 0 || v["ok"][0] != 1 {
					return fmt.Errorf("%#x, want %#x", got, want)
				}
				return nil
			},
		})
	}
	return calls
}

// TestToyMutants plants all kinds of errors in a toy kernel. It checks that inputs with carries
// find all errors except those that change no result. It also checks that inputs without carries do
// not find the errors in carries.
func TestToyMutants(t *testing.T) {
	p, err := assembleToy(toy(2), `
		LD [args+0], R0
		LD [args+8], R1
		LD [args+16], R2
		LD [R1+0], R3
		MUL R2, R3, R4
		LD [R1+8], R5
		MUL R2, R5, R1
		ADD R5, R4
		LD #0, R5
		ADC R5, R1
		LD [args+8], R5
		LD [R5+16], R2
		ADD R2, R3
		LD [R5+24], R2
		ADC R2, R4
		LD #0, R2
		ADC R2, R1
		ST R3, [R0+0]
		ST R4, [R0+8]
		ST R1, [R0+16]
		LD [args+16], R2
	again:
		ADD #-1, R2
		BNE again
		ADD #1, R2
		ST R2, [args+40]
		RET
	`)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	hard := func() uint64 { return []uint64{0, 1, ^uint64(0), ^uint64(0) / 3, r.Uint64()}[r.IntN(5)] }
	easy := func() uint64 { return r.Uint64() >> 8 }
	all := mutant.All(p)
	kinds := map[string]int{}
	for _, m := range all {
		kinds[m.Kind]++
	}
	for _, kind := range []string{"deleted", "another opcode", "negated", "halves swapped",
		"immediate", "offset", "register"} {
		if kinds[kind] == 0 {
			t.Errorf("no error is planted of the kind %q", kind)
		}
	}
	for _, x := range []struct {
		name  string
		word  func() uint64
		alive string
	}{
		// The carry into the first sum is known to be 0, so this mutant computes the same results.
		{"hard", hard, "12: another opcode: ADD R2, R3 -> ADC R2, R3\n"},
		{"easy", easy, strings.TrimLeft(`
9: deleted: ADC R5, R1 -> NOP
9: another opcode: ADC R5, R1 -> ADD R5, R1
9: register: ADC R5, R1 -> ADC R5, R2
12: another opcode: ADD R2, R3 -> ADC R2, R3
14: another opcode: ADC R2, R4 -> ADD R2, R4
16: deleted: ADC R2, R1 -> NOP
16: another opcode: ADC R2, R1 -> ADD R2, R1
16: register: ADC R2, R1 -> ADC R2, R2
19: register: ST R1, [R0+16] -> ST R2, [R0+16]
`, "\n")},
	} {
		run := contract.NewRunner(p, true)
		calls := sums(r, 200, x.word)
		for _, c := range calls {
			if err := run.Run(p, c); err != nil {
				t.Fatal(err)
			}
		}
		if u := run.Uncovered(); len(u) > 0 {
			t.Errorf("never reached: %v", u)
		}
		killed, alive := contract.Hunt(run, all, calls)
		if got := contract.List(alive); got != x.alive || killed < 80 {
			t.Errorf("%s inputs find %d, and not\n%s", x.name, killed, got)
		}
	}
}
