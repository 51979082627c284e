package interp_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// wholeVectors runs a toy program whose registers have eight lanes, and tracks ranges. R0 points to
// four result vectors, which must be below 2^32. R1 points to four vectors: two below 2^28, one of
// references, and one with unknown contents. R4 points to eight rows of four arbitrary words, and
// R5 to eight rows with values below 2^255.
func wholeVectors(t *testing.T, text string) error {
	p, err := assembleToy(toy(8), `
		LD [args+0], R0
		LD [args+8], R1
		LD [args+16], R2
		LD [args+24], R4
		LD [args+32], R5
	`+text+"VEND"+end, 1<<28-1, 3, 1<<63, 0, 0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := p.NewMachine()
	r, stop := m.Follow()
	defer stop()
	regions := map[string]*interp.Region{}
	for k, name := range []string{"out", "in", "n", "rows", "low"} {
		if name == "n" {
			m.SetArg(8*k, 5, false)
			continue
		}
		x := m.NewRegion(name, 256, interp.Read|interp.Write)
		x.FillWords(0, make([]uint64, 32), false)
		m.SetArg(8*k, x.Address(), false)
		regions[name] = x
	}
	// The references are in a separate region, because what a region is declared to hold applies to
	// all of it.
	references := m.NewRegion("references", 64, interp.Read|interp.Write)
	references.FillWords(0, make([]uint64, 8), false)
	in, out := regions["in"].Address(), regions["out"].Address()
	regions["in"].FillWords(192, []uint64{references.Address()}, false)
	r.References(references)
	r.Hold(in, interp.Below(28))
	r.Hold(in+64, interp.Below(28))
	r.HoldPoison(in + 128)
	r.Results(regions["out"])
	for k := range uint64(4) {
		r.Hold(out+64*k, interp.Below(28))
	}
	r.Rows(regions["rows"], new(big.Int).Lsh(big.NewInt(1), 256))
	r.Rows(regions["low"], new(big.Int).Lsh(big.NewInt(1), 255))
	if err := m.Run(); err != nil {
		return err
	}
	for k := range uint64(4) {
		if s, clean := r.At(out+64*k, interp.Below(32)); !clean || !s.Within(interp.Below(32)) {
			return fmt.Errorf("vector %d is in %v", k, s)
		}
	}
	return nil
}

// TestToyWideRanges checks that Ranges finds the errors that it promises to find, in programs on
// whole vectors.
func TestToyWideRanges(t *testing.T) {
	const two = "VLD [R1+0], V0\nVLD [R1+64], V1\n"
	const product = two + "VSUB V3, V3, V3\n"
	const difference = two + "VSUB V0, V1, V2\n"
	const store = "VST V3, [R0+0]\n"
	const references = "LD [R1+192], R3\nVLD [R3+0], V2\n"
	const row = "VLD [R4+0], V2\n"
	for _, test := range []struct{ name, want, text string }{
		{"both halves of a product", "", product + "VMADL V0, V1, V3\n" + store +
			"VSUB V3, V3, V3\nVMADH V0, V1, V3\nVST V3, [R0+64]\n"},
		{"no high half", "the high half for VMADL", product + "VMADL V0, V1, V3\n" + store},
		{"no low half", "the low half for VMADH", product + "VMADH V0, V1, V3\n" + store},
		{"a product of 64 bits", "may overflow", two + "VPROD V0, V1, V2\nVPROD V2, V1, V2\n"},
		{"a negative factor", "a factor that may be negative", difference + "VPROD V2, V1, V2\n"},
		{"an operation on the bits of a negative number", "that may be negative",
			difference + "VOR V2, V1, V2\n"},
		{"a sign that is shifted", "", difference + "VSAR #4, V2, V3\nVADD V3, V0, V3\n" +
			"VADD V3, V1, V3\nVSHR #4, V3, V3\n" + store},
		{"a sign that is not", "as if it had a sign",
			"VLD [data+0], V0\nVDUP [data+16], V0\nVSAR #4, V0, V1\n"},
		{"a shift to the left that keeps all bits", "", two + "VSHL #8, V0, V3\nVSHR #8, V3, V3\n" +
			store},
		{"a shift to the left that loses bits", "left out are lost",
			two + "VSHL #40, V0, V3\nVSHR #40, V3, V3\n" + store},
		{"a negative number to the left", "is shifted beyond 64 bits", difference + "VSHL #40, V2, V3\n"},
		{"a pair of numbers that are no words", "are not words", difference + "VPAIR #40, V2, V1, V3\n"},
		{"a shift by 0", "a number that is not known", two + "VSHR #0, V0, V3\n"},
		{"a mask of other bits", "no mask of low bits", two + "VAND V0, V1, V3\n"},

		{"a masked choice", "", two + "VTST V0, K1\nVSEL V1, K1, V0\nVST V0, [R0+0]\n"},
		{"a masked store", "a masked store", two + "VTST V0, K1\nVSEL V1, K1, [R0+0]\n"},
		{"a choice of references", "a choice of references",
			two + references + "VTST V0, K1\nVSEL V2, K1, V0\n"},
		{"references and numbers", "a reference and a number", two + references + "VADD V0, V2, V3\n"},
		{"references among themselves", "", references + "VADD V2, V2, V3\n"},
		{"a number and poison", "vector 0",
			two + "VLD [R1+128], V2\nVADD V0, V2, V3\n" + store},
		{"a test of poison", "a test of poison", "VLD [R1+128], V2\nVTST V2, K1\n"},
		{"a loop without an end", "without a condition at its end", "again:\nLD #1, R2\nB again\n"},

		{"no vector", "is no vector", two + "VADD #1, V0, V3\n"},
		{"a lane for all", "broadcasts one lane", "VDUP [R1+8], V0\n"},
		{"a store of what is not known", "stores an unknown value", store},
		{"a sum of what is not known", "an unknown value", two + "VADD V0, V3, V3\n"},
		{"lanes of two vectors", "lanes hold different numbers", "VLD [R1+32], V0\nVADD V0, V0, V0\n"},

		{"rows copied", "", row + "VST V2, [R4+64]\n"},
		{"references to where rows are", "stores references", references + "VST V2, [R4+0]\n"},
		{"half a row", "not a whole row", row + "VST V2, [R4+8]\n"},
		{"a row where smaller ones are", "one that is too great", row + "VST V2, [R5+0]\n"},
		{"a smaller row", "", "VLD [R5+0], V2\nVST V2, [R4+0]\n"},
		{"lanes where rows are", "is of another lane", two + "VST V0, [R4+0]\n"},
		{"a sum of different words of rows", "different words of rows", row + "VADD V2, V2, V2\n"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			err := wholeVectors(t, test.text)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestToyNarrowRows checks that Ranges rejects an operation on different words of a row, in a
// register of fewer than eight lanes. Such a register holds only a part of a vector.
func TestToyNarrowRows(t *testing.T) {
	p, err := assembleToy(toy(2), "LD [args+0], R0\nVLD [R0+0], V0\nVADD V0, V0, V0\nRET")
	if err != nil {
		t.Fatal(err)
	}
	m := p.NewMachine()
	r, stop := m.Follow()
	defer stop()
	rows := m.NewRegion("rows", 64, interp.Read)
	rows.FillWords(0, make([]uint64, 8), false)
	m.SetArg(0, rows.Address(), false)
	r.Rows(rows, new(big.Int).Lsh(big.NewInt(1), 256))
	want(t, m.Run(), "lanes hold different words of rows")
}
