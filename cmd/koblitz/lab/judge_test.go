//go:build spark && linux

package lab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// judge is a Python program. It reads pairs of a stream and the answer to it, and prints a line for
// each pair: ok, or what is wrong. PyArrow must accept both streams (it may find invalid UTF-8 in
// text cells), the columns of the stream must be unchanged in the answer, and the verdicts must fit
// the cells that PyArrow reads.
const judge = `
import struct, sys
import pyarrow as pa

good = {tuple(bytes.fromhex(x) for x in row.split(",")) for row in sys.argv[1:]}
text = (pa.string(), pa.large_string(), pa.string_view())

def batches(data):
    with pa.ipc.open_stream(pa.py_buffer(data)) as r:
        found = list(r)
    for b in found:
        for c in b.columns:
            try:
                c.validate(full=True)
            except pa.ArrowInvalid as e:
                if "UTF8" not in str(e):
                    raise
    return found

def compare(given, answer):
    given, answer = batches(given), batches(answer)
    assert len(given) == len(answer), f"{len(given)} batches, {len(answer)} answers"
    for g, a in zip(given, answer):
        assert g.num_rows == a.num_rows, f"{g.num_rows} rows, {a.num_rows} answers"
        for i in range(g.num_columns):
            assert g.column(i).equals(a.column(i)), f"column {i} is another"
        cells = [g.column(name) for name in "hks"]
        is_text = any(c.type in text for c in cells)
        for row in range(g.num_rows):
            verdict, reason = a.column("verdict")[row].as_py(), a.column("reason")[row].as_py()
            null = any(not c[row].is_valid or c[row].as_py() is None for c in cells if not is_text)
            values = None if is_text else tuple(c[row].as_py() for c in cells)
            want = "malformed" if null else "valid" if values in good else None
            if want is None and verdict != "valid":
                continue
            if want == verdict and null == ("null" in (reason or "")):
                continue
            raise AssertionError(f"row {row} is {verdict} ({reason}), and its cells are {values}")

def read():
    n = sys.stdin.buffer.read(4)
    if len(n) < 4:
        sys.exit()
    return sys.stdin.buffer.read(struct.unpack("<I", n)[0])

while True:
    given, answer = read(), read()
    try:
        compare(given, answer)
        print("ok", flush=True)
    except Exception as e:
        print(repr(e).replace("\n", " "), flush=True)
`

// randomFields returns the fields h, k and s with random types, and up to three other fields.
func randomFields(r *rand.Rand) []arrow.Field {
	all := fields()
	list := []arrow.Field{}
	for i, width := range []int{32, 33, 64} {
		types := []arrow.DataType{arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
			arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: width}}
		f := all[i]
		f.Type = types[r.IntN(len(types))]
		list = append(list, f)
	}
	for range r.IntN(4) {
		f := all[3+r.IntN(len(all)-3)]
		f.Name += fmt.Sprint(" ", len(list))
		list = append(list, f)
	}
	return list
}

// A located holds the offsets, within a stream, of the numbers in the metadata of one RecordBatch.
type located struct {
	length  int   // offset of the number of rows, which has 8 bytes
	nodes   []int // offsets of the nodes: 8 bytes of length, 8 of null count
	buffers []int // offsets of the buffer entries: 8 bytes of offset, 8 of length
}

// batches returns the record batches of a stream.
func batches(stream []byte) (found []located) {
	for at := 0; at+8 <= len(stream); {
		n := int(binary.LittleEndian.Uint32(stream[at+4:]))
		if n == 0 {
			break
		}
		start := at + 8
		meta := stream[start : start+n]
		message := flatbuffers.Table{Bytes: meta, Pos: flatbuffers.GetUOffsetT(meta)}
		place := func(t flatbuffers.Table, slot flatbuffers.VOffsetT) int {
			return int(t.Pos) + int(t.Offset(slot))
		}
		body := int64(0)
		if message.Offset(10) != 0 {
			body = message.GetInt64(flatbuffers.UOffsetT(place(message, 10)))
		}
		var batch flatbuffers.Table
		kind := meta[place(message, 6)]
		message.Union(&batch, flatbuffers.UOffsetT(message.Offset(8)))
		if kind == 3 {
			l := located{length: start + place(batch, 4)}
			for _, list := range []struct {
				slot flatbuffers.VOffsetT
				to   *[]int
			}{{6, &l.nodes}, {8, &l.buffers}} {
				o := flatbuffers.UOffsetT(batch.Offset(list.slot))
				for i := range batch.VectorLen(o) {
					*list.to = append(*list.to, start+int(batch.Vector(o))+16*i)
				}
			}
			found = append(found, l)
		}
		at = start + n + int(body)
	}
	return found
}

func number(b []byte, at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// with returns a copy of stream in which the 8 bytes at offset are the number n.
func with(stream []byte, offset int, n int64) []byte {
	changed := bytes.Clone(stream)
	binary.LittleEndian.PutUint64(changed[offset:], uint64(n))
	return changed
}

// mutate returns a copy of stream with changes at one to three offsets.
func mutate(r *rand.Rand, stream []byte) []byte {
	out := bytes.Clone(stream)
	for range 1 + r.IntN(3) {
		small := []int64{0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 127, 128, 255, 256, 1 << 31, 1<<31 - 1,
			1 << 40, -1, -2, -8, -1 << 63, 1<<63 - 1}
		other := func(n int64) int64 {
			if r.IntN(2) == 0 {
				return n + int64(r.IntN(17)) - 8
			}
			return small[r.IntN(len(small))]
		}
		switch r.IntN(8) {
		case 0: // flips several bits of a byte
			out[r.IntN(len(out))] ^= byte(1 + r.IntN(255))
		case 1: // flips one bit
			out[r.IntN(len(out))] ^= 1 << r.IntN(8)
		case 2: // changes 4 bytes
			at := r.IntN(len(out)/4) * 4
			binary.LittleEndian.PutUint32(out[at:], uint32(other(int64(int32(binary.LittleEndian.Uint32(
				out[at:]))))))
		case 3: // changes 8 bytes
			at := r.IntN(len(out)/8) * 8
			out = with(out, at, other(number(out, at)))
		case 4: // copies 8 bytes from another offset
			from, to := r.IntN(len(out)/8)*8, r.IntN(len(out)/8)*8
			copy(out[to:to+8], bytes.Clone(out[from:from+8]))
		default: // changes a length, null count or offset in a batch
			list := batches(stream)
			b := list[r.IntN(len(list))]
			places := []int{b.length, b.length}
			for _, at := range append(b.nodes, b.buffers...) {
				places = append(places, at, at+8)
			}
			at := places[r.IntN(len(places))]
			n := number(stream, at)
			if r.IntN(2) == 0 {
				n = number(stream, places[r.IntN(len(places))])
			}
			out = with(out, at, other(n))
		}
	}
	return out
}

// TestArrowJudge checks that if Run answers a mutated stream, PyArrow accepts the stream and reads
// the same cells that Run verified. The test needs the variable KOBLITZ_PYTHON. KOBLITZ_JUDGE is
// the number of streams, KOBLITZ_SEED the number of the first, and KOBLITZ_FINDS a folder to which
// the test writes failing streams in hex.
func TestArrowJudge(t *testing.T) {
	python := os.Getenv("KOBLITZ_PYTHON")
	if python == "" {
		t.Fatal("KOBLITZ_PYTHON is not set")
	}
	count, seed := 5000, uint64(0)
	if os.Getenv("KOBLITZ_DEEP") == "every" {
		count = 500_000
	}
	if n, err := strconv.Atoi(os.Getenv("KOBLITZ_JUDGE")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("KOBLITZ_SEED"), 10, 64); err == nil {
		seed = n
	}
	args := []string{"-c", judge}
	for _, v := range signed() {
		args = append(args, fmt.Sprintf("%x,%x,%x", v[0], v[1], v[2]))
	}
	cmd := exec.Command(python, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	ask := func(given, answer []byte) string {
		for _, b := range [][]byte{given, answer} {
			if _, err := in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))),
				b...)); err != nil {
				t.Fatal(err)
			}
		}
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
	answered := 0
	for i := range uint64(count) {
		i += seed
		r := rand.New(rand.NewPCG(i, 0))
		given := honest(t, randomFields(r))
		if i%100 != 0 { // every hundredth stream is not mutated
			given = mutate(r, given)
		}
		out, err := answer(t, reading.ECDSA, given)
		if err != nil {
			if i%100 == 0 {
				t.Errorf("stream %d: %v", i, err)
			}
			continue
		}
		answered++
		if said := ask(given, out); said != "ok" {
			t.Errorf("stream %d: %s", i, said)
			if dir := os.Getenv("KOBLITZ_FINDS"); dir != "" {
				os.WriteFile(fmt.Sprintf("%s/%d.hex", dir, i), []byte(hex.EncodeToString(given)), 0o600)
			}
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if answered < count/100 || answered == count && count > 100 {
		t.Errorf("%d of %d streams were answered", answered, count)
	}
	t.Logf("%d of %d streams were answered", answered, count)
}
