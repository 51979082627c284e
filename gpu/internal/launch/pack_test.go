package launch

import (
	"bytes"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// packRows are numbers of rows next to the limits at which pack begins to use one more goroutine.
var packRows = []int{0, 1, 127, pieceRows - 1, pieceRows, 2*pieceRows - 1, 2 * pieceRows,
	2*pieceRows + 1, 3*pieceRows + 5, packers*pieceRows + 77, 2 * packers * pieceRows}

// TestPack checks that pack copies the values of rows in the middle of a column, for any stride,
// even if the data ends with the last value.
func TestPack(t *testing.T) {
	for _, n := range packRows {
		for _, width := range []int{1, 33} {
			testPack(t, n, width)
		}
	}
}

func testPack(t *testing.T, n, width int) {
	const first = 7
	for _, stride := range []int{0, width, width + 1} {
		data := make([]byte, (first+n)*stride+width)
		for i := range data {
			data[i] = byte(i ^ i>>7 ^ i>>15)
		}
		if n > 0 {
			data = data[:(first+n-1)*stride+width]
		}
		want := make([]byte, 0, n*width)
		for i := range n {
			want = append(want, data[(first+i)*stride:][:width]...)
		}
		got := make([]byte, n*width+1)
		pack(got[:n*width], &device.Column{Data: data, Stride: stride}, width, first)
		if !bytes.Equal(got, append(want, 0)) {
			t.Errorf("%d rows of %d bytes, stride %d: other bytes", n, width, stride)
		}
	}
}

// TestUnpack checks that unpack writes verdicts and results of the right rows only, and zeros as
// results of rows that are not Valid.
func TestUnpack(t *testing.T) {
	const first, behind = 3, 5
	for _, n := range packRows {
		for _, width := range []int{0, 20, device.KeySize} {
			all := first + n + behind
			c := &device.Call{Verdicts: make([]device.Verdict, all), Results: make([]byte, all*width)}
			fill(c.Results, 0x77)
			verdicts, out := make([]byte, n), make([]byte, n*width)
			wantVerdicts, wantOut := slices.Clone(c.Verdicts), bytes.Clone(c.Results)
			for i := range n {
				verdicts[i] = byte(i*i) & 3
				wantVerdicts[first+i] = device.Verdict(i*i) & 3
				for j := range width {
					out[i*width+j] = byte(i + j)
					wantOut[(first+i)*width+j] = 0
					if wantVerdicts[first+i] == device.Valid {
						wantOut[(first+i)*width+j] = byte(i + j)
					}
				}
			}
			if width == 0 {
				out = nil
			}
			unpack(c, first, verdicts, out, width)
			if !slices.Equal(c.Verdicts, wantVerdicts) || !bytes.Equal(c.Results, wantOut) {
				t.Errorf("%d rows, %d bytes each: other verdicts or results", n, width)
			}
		}
	}
}

func TestFill(t *testing.T) {
	for n := range 70 {
		b := make([]byte, n+1)
		fill(b[:n], 0xff)
		if !bytes.Equal(b, append(bytes.Repeat([]byte{0xff}, n), 0)) {
			t.Errorf("%d bytes: %x", n, b)
		}
	}
}
