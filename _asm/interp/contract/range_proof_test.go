package contract

import (
	"cmp"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

var update = flag.Bool("update", false, "write the blocks of docs/range-proof.md anew")

const document = "../../../docs/range-proof.md"

// TestRangeProofDocument checks every block of docs/range-proof.md: it generates the text again and
// compares it with the file. In that file, an HTML comment with a block's name precedes each block.
func TestRangeProofDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]func(*testing.T) string{
		"source": subSource, "data": subData, "ranges": subRanges,
		"wide": subWide, "multiple": subMultiple, "carry": subCarry, "shift": subShift, "found": subFound,
	}
	block := regexp.MustCompile("(?s)(<!-- (\\w+) -->\n```\\w*\n)(.*?)```")
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		before, name, is := m[1], m[2], m[3]
		want := blocks[name]
		if want == nil {
			t.Errorf("no such block: %s", name)
			continue
		}
		delete(blocks, name)
		switch made := want(t); {
		case made == is:
		case *update:
			text = []byte(strings.Replace(string(text), m[0], before+made+"```", 1))
		default:
			t.Errorf("block %s is not\n%s(go test -run TestRangeProofDocument -update writes it)",
				name, made)
		}
	}
	for name := range blocks {
		t.Errorf("the document lacks the block %s", name)
	}
	if *update {
		if err := os.WriteFile(document, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// subSource returns the source of the generator function for subIFMA.
func subSource(t *testing.T) string {
	source, err := os.ReadFile("../../kernels/lanes.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(regexp.MustCompile(`(?ms)^func lanesSub\(.*?^}\n`).Find(source))
}

// subData returns the constants of subIFMA, one per line.
func subData(t *testing.T) (s string) {
	_, file := rangeRunner(t, kernel("subIFMA"))
	for _, x := range file.Sections {
		if g, ok := x.(*ir.Global); ok {
			for _, d := range g.Data {
				v := new(big.Int).SetUint64(uint64(d.Value.(operand.U64)))
				s += fmt.Sprintf("%s+%-3d %s\n", g.Symbol, d.Offset, short(v))
			}
		}
	}
	return s
}

// subRun tries to prove the ranges of the program p, which is subIFMA or a mutant of it, and
// returns the error if the proof fails.
func subRun(t *testing.T, p *interp.Program, bounds LaneBounds) error {
	k := kernel("subIFMA")
	_, err := NewRunner(p, k.ConstantTime).Ranges(p, rangeCalls(id(k), 3)[0], bounds)
	if err != nil && strings.Contains(err.Error(), "before this") {
		t.Errorf("ranges are wrong: %v", err)
	}
	return err
}

func subProgram(t *testing.T) *interp.Program {
	run, _ := rangeRunner(t, kernel("subIFMA"))
	return run.Program()
}

// subBounds returns the bounds of subIFMA's contract.
func subBounds() LaneBounds { return laneRanges["subIFMA"].LaneBounds }

func subRanges(t *testing.T) (s string) {
	p := subProgram(t)
	b := subBounds()
	b.Trace = func(i *interp.Inst, r interp.Range) {
		at := 0
		for p.Instruction(at) != i {
			at++
		}
		s += fmt.Sprintf("%2d  %-46s %s … %s\n", at, i.Text, short(r.Lo), short(r.Hi))
	}
	if err := subRun(t, p, b); err != nil {
		t.Error(err)
	}
	return s
}

// subWide returns the fault with which the proof of subIFMA fails if limb 4 of each argument may be
// one bit longer.
func subWide(t *testing.T) string {
	b := subBounds()
	b.Top++
	return fmt.Sprintln(subRun(t, subProgram(t), b))
}

// subMultiple returns the fault with which the proof of subIFMA fails if the kernel adds 2p instead
// of 4p.
func subMultiple(t *testing.T) string {
	k := kernel("subIFMA")
	_, file := rangeRunner(t, k)
	four, two := vectors.Multiple(4, 2), vectors.Multiple(2, 2)
	for _, x := range file.Sections {
		if g, ok := x.(*ir.Global); ok {
			for at := range g.Data {
				v := uint64(g.Data[at].Value.(operand.U64))
				if limb := slices.Index(four[:], v); limb >= 0 {
					g.Data[at].Value = operand.U64(two[limb])
				}
			}
		}
	}
	return fmt.Sprintln(subRun(t, load(t, file, k.Name), subBounds()))
}

// subMutant returns the change that one mutant of subIFMA makes, and the fault with which its proof
// fails.
func subMutant(t *testing.T, kind, original string) string {
	p := subProgram(t)
	for _, m := range mutant.All(p) {
		if m.Kind == kind && p.Instruction(m.Index).Text == original {
			q, err := p.Replace(m.Index, m.Instruction)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%v\n%v\n", &m, subRun(t, q, subBounds()))
		}
	}
	t.Fatalf("no mutant of %s: %s", original, kind)
	return ""
}

func subCarry(t *testing.T) string { return subMutant(t, "deleted", "VPADDQ Z6, Z2, Z2") }

func subShift(t *testing.T) string { return subMutant(t, "immediate", "VPSRLQ $0x34, Z1, Z6") }

// subFound plants every error of package mutant in subIFMA. It returns a table of how many of them
// each check finds.
func subFound(t *testing.T) string {
	p := subProgram(t)
	k := kernel("subIFMA")
	run := NewRunner(p, k.ConstantTime)
	calls := oracles[id(k)](rand.New(rand.NewPCG(12, 0)), mutantCalls, false)
	if err := subRun(t, p, subBounds()); err != nil || run.reveals(p, calls) {
		t.Fatalf("the kernel itself is refused: %v", err)
	}
	var planted, byRanges, byCalls, byRangesAlone, byNone int
	for _, m := range mutant.All(p) {
		q, err := p.Replace(m.Index, m.Instruction)
		if err != nil {
			continue
		}
		planted++
		ranges, wrong := subRun(t, q, subBounds()) != nil, run.reveals(q, calls)
		switch {
		case ranges && !wrong:
			byRangesAlone++
		case !ranges && !wrong:
			byNone++
		}
		if ranges {
			byRanges++
		}
		if wrong {
			byCalls++
		}
	}
	return fmt.Sprintf(`%4d errors planted
%4d found by ranges
%4d found by %d calls with an oracle
%4d found by ranges alone
%4d found by neither
`, planted, byRanges, byCalls, len(calls), byRangesAlone, byNone)
}

// short writes x as m·2^k + j·c + d with small integers m, j and d, where c = 2^256 − p. If there
// are no such integers, it writes x in hexadecimal.
func short(x *big.Int) string {
	for _, k := range []uint{52, 50, 49, 48, 0} {
		unit := new(big.Int).Lsh(big.NewInt(1), k)
		m, rest := divide(x, unit)
		if k == 0 {
			m, rest = new(big.Int), new(big.Int).Set(x)
		}
		j, d := divide(rest, big.NewInt(vectors.C))
		small := m.CmpAbs(big.NewInt(16)) <= 0 && j.CmpAbs(big.NewInt(100)) <= 0 &&
			d.CmpAbs(big.NewInt(1000)) <= 0
		if !small || k > 0 && m.Sign() == 0 {
			continue
		}
		var b strings.Builder
		part := func(n *big.Int, of string) {
			if n.Sign() == 0 {
				return
			}
			switch {
			case b.Len() == 0 && n.Sign() < 0:
				b.WriteString("−")
			case b.Len() > 0:
				b.WriteString(map[int]string{1: " + ", -1: " − "}[n.Sign()])
			}
			size := new(big.Int).Abs(n).String()
			if of != "" && size == "1" {
				size, of = "", strings.TrimPrefix(of, "·")
			}
			b.WriteString(size + of)
		}
		part(m, fmt.Sprintf("·2^%d", k))
		part(j, "c")
		part(d, "")
		return cmp.Or(b.String(), "0")
	}
	return fmt.Sprintf("%#x", x)
}

// divide returns the quotient x/y rounded to the nearest integer, and the remainder.
func divide(x, y *big.Int) (q, rest *big.Int) {
	half := new(big.Int).Rsh(y, 1)
	q = new(big.Int).Div(new(big.Int).Add(x, half), y)
	return q, new(big.Int).Sub(x, new(big.Int).Mul(q, y))
}

// TestShort evaluates the text that short writes, and checks that its value is the number.
func TestShort(t *testing.T) {
	const c = vectors.C
	for text, x := range map[string]*big.Int{
		"0": big.NewInt(0), "5": big.NewInt(5), "−3": big.NewInt(-3), "2^52": big.NewInt(1 << 52),
		"2^52 − 1": big.NewInt(1<<52 - 1), "2^48 + 2": big.NewInt(1<<48 + 2), "c": big.NewInt(c),
		"2·2^52 − 4c": big.NewInt(1<<53 - 4*c), "3·2^52 + c − 1": big.NewInt(3<<52 + c - 1),
		"−2^52 − c + 1": big.NewInt(-1<<52 - c + 1), "0x123456789": big.NewInt(0x123456789),
	} {
		if got := short(x); got != text {
			t.Errorf("%#x is %s, want %s", x, got, text)
		}
	}
}
