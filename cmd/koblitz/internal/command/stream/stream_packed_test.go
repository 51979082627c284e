package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// packedRows returns three rows of each packed format: a valid one, one with the signature of
// another row, and one with an invalid key.
func packedRows(t testing.TB) map[string][3][]byte {
	list := make(map[string][3][]byte)
	for format, row := range map[string]func(testing.TB,
		byte) []byte{"packed-bip340": commandtest.BIP340Row, "packed-ecdsa": commandtest.ECDSARow} {
		good, other := row(t, 1), row(t, 2)
		invalid := append(bytes.Clone(good[:len(good)-64]), other[len(good)-64:]...)
		malformed := bytes.Clone(good)
		for i := range 33 {
			malformed[len(good)-97+i] = 0xff
		}
		list[format] = [3][]byte{good, invalid, malformed}
	}
	return list
}

// TestPackedStream checks that each row has its verdict, however the reads split the input.
func TestPackedStream(t *testing.T) {
	const n = 5000
	for format, kinds := range packedRows(t) {
		var in, want []byte
		for i := range n {
			k := [11]int{3: 1, 8: 2}[i%11]
			in = append(in, kinds[k]...)
			want = append(append(want, kinds[k]...), byte(k+1))
		}
		for name, r := range map[string]io.Reader{
			"at once":      bytes.NewReader(in),
			"bytes":        iotest.OneByteReader(bytes.NewReader(in)),
			"halves":       iotest.HalfReader(bytes.NewReader(in)),
			"end with it":  iotest.DataErrReader(bytes.NewReader(in)),
			"with nothing": &stuttering{r: bytes.NewReader(in)},
		} {
			var out, stderr bytes.Buffer
			status := run(t.Context(), []string{"stream", "--format", format}, r, &out, &stderr)
			if status != cli.ExitOK || stderr.Len() != 0 || !bytes.Equal(out.Bytes(), want) {
				t.Errorf("%s, %s: status %d, %d bytes of %d: %s", format, name, status, out.Len(),
					len(want), &stderr)
			}
		}
		if out, _ := expect(t, cli.ExitOK, nil, "", "stream", "--format", format); out != "" {
			t.Errorf("no rows: %q", out)
		}
	}
}

// A stuttering is a reader that returns 0 bytes at every second call, which io.Reader allows.
type stuttering struct {
	r   io.Reader
	odd bool
}

func (s *stuttering) Read(b []byte) (int, error) {
	if s.odd = !s.odd; s.odd {
		return 0, nil
	}
	return s.r.Read(b[:min(len(b), 1000)])
}

// TestPackedStreamAnswers checks that the verdicts of complete rows are written before more input
// arrives, even if the last row is incomplete.
func TestPackedStreamAnswers(t *testing.T) {
	for format, kinds := range packedRows(t) {
		row, w := kinds[0], len(kinds[0])
		in, out, end := start(t, "stream", "--format", format)
		for _, part := range [][]byte{row, bytes.Repeat(row, 3)[:2*w+5], bytes.Repeat(row, 2000)[5:]} {
			go in.Write(part)
			whole := (len(part) + w - 1) / w
			if len(part)%w == 5 {
				whole--
			}
			got := make([]byte, whole*(w+1))
			if _, err := io.ReadFull(out, got); err != nil {
				t.Fatal(err)
			}
			if want := bytes.Repeat(append(bytes.Clone(row), 1), whole); !bytes.Equal(got, want) {
				t.Fatalf("%s: another answer to %d bytes", format, len(part))
			}
		}
		end(0)
	}
}

// TestPackedStreamTruncated checks a stream cut at every byte of its last rows. The complete rows
// must get verdicts, and the error must state the position of the cut.
func TestPackedStreamTruncated(t *testing.T) {
	for format, kinds := range packedRows(t) {
		w := len(kinds[0])
		in := bytes.Repeat(kinds[0], 3)
		answer := append(bytes.Clone(kinds[0]), 1)
		for n := range len(in) {
			status, out, stderr := invoke(t, string(in[:n]), "stream", "-w", "1", "--format", format)
			if out != strings.Repeat(string(answer), n/w) {
				t.Fatalf("%s, %d bytes: %d bytes of output", format, n, len(out))
			}
			want := cli.ExitOK
			if n%w != 0 {
				want = cli.ExitUnreadable
			}
			if status != want || want != cli.ExitOK && !strings.Contains(stderr,
				"the file ends inside row ") {
				t.Fatalf("%s, %d bytes: status %d, %s", format, n, status, stderr)
			}
		}
		expect(t, cli.ExitUnreadable, []string{"koblitz: stdin: at byte ",
			"inside row 2, after 7 of its 12"}, string(in[:2*w+7]), "stream", "--format", format)
	}
}

// TestPackedStreamErrors checks that koblitz stream on packed rows gives the right exit status and
// message if standard input or output fails.
func TestPackedStreamErrors(t *testing.T) {
	rows := bytes.Repeat(commandtest.BIP340Row(t, 1), 5)
	args := []string{"stream", "--format", "packed-bip340"}
	var out, stderr bytes.Buffer
	broken := io.MultiReader(bytes.NewReader(rows), iotest.ErrReader(errors.New("unplugged")))
	status := run(t.Context(), args, broken, &out, &stderr)
	if status != cli.ExitUnreadable || out.Len() != 5*129 ||
		!strings.Contains(stderr.String(), "stdin: at byte 640: unplugged") {
		t.Errorf("status %d, %d bytes: %s", status, out.Len(), &stderr)
	}
	stderr.Reset()
	many := bytes.NewReader(bytes.Repeat(rows, 40_000))
	full := clitest.WriterFunc(func([]byte) (int, error) { return 0, errors.New("full") })
	status = run(t.Context(), append(args, "-w", "1"), many, full, &stderr)
	if status != cli.ExitUnreadable || !strings.Contains(stderr.String(), "standard output: full") {
		t.Errorf("status %d: %s", status, &stderr)
	}
	if many.Len() == 0 {
		t.Error("all rows were read although nothing reads the answers")
	}
}
