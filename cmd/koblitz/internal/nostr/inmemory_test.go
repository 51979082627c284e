package nostr

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/lines"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// unitsOf reads documents and returns a line of text for each rows.Unit, with its position, and a
// last line for the error. inMemory is the number of values that were parsed directly in the file's
// buffer.
func unitsOf(src io.Reader) (all []string, inMemory int) {
	r := NewDocuments(rows.Source{Name: "f", Reader: src})
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return append(all, fmt.Sprint("ended by ", err)), inMemory
		}
		for _, v := range b.(*documentBatch).values {
			if v.event {
				inMemory++
			}
		}
		b.Expand(func(u *rows.Unit) {
			line := fmt.Sprintf("%s %s %s", u.Where, u.Decided, u.Reason)
			if u.Decided == rows.Unchecked { // otherwise Signatures and Keys are old
				line = fmt.Sprintf("%s %v %x %x", line, u.Scheme, u.Signatures, u.Keys)
			}
			all = append(all, line)
		})
	}
}

// sameInParts checks that reading documents from memory gives the same rows.Units as reading them
// byte by byte. In the second case no event is ever complete in the buffer.
func sameInParts(t testing.TB, text []byte) (inMemory int) {
	t.Helper()
	whole, inMemory := unitsOf(bytes.NewReader(text))
	parts, n := unitsOf(iotest.OneByteReader(bytes.NewReader(text)))
	if n != 0 {
		t.Errorf("%d events of those that came byte by byte were there at once", n)
	}
	for i := range max(len(whole), len(parts)) {
		if i >= len(whole) || i >= len(parts) || whole[i] != parts[i] {
			t.Fatalf("unit %d differs: in parts there are %.1000q, in memory %.1000q", i, parts[i:],
				whole[i:])
		}
	}
	return inMemory
}

// TestEventsInMemory checks the number of events that are parsed directly in the buffer. Similar
// values that need the general parser must not be among them.
func TestEventsInMemory(t *testing.T) {
	event := object(`"some \u00e9 text\n \/"`, `[["e","x"],["p"]]`)
	valid := strings.TrimSpace(string(events(t, 60)))
	for _, test := range []struct {
		name string
		text string
		want int // number of events parsed in the buffer
	}{
		{"one", event, 1},
		{"valid", "[" + strings.ReplaceAll(valid, "\n", ",\n") + "]", 60},
		{"without a list", strings.ReplaceAll(valid, "\n", " \r\n\n"), 60},
		{"printed", "[" + indented(event) + ",\n" + indented(event) + "]\n" + event, 3},
		{"another name", strings.Replace(event, `{`, `{"more":[1,{"sig":""}],`, 1), 0},
		{"another name at the end", strings.TrimSuffix(event, "}") + `,"more":1}`, 0},
		{"an escaped name", strings.Replace(event, `"kind"`, `"k\u0069nd"`, 1), 1},
		{"a name twice", strings.Replace(event, `{`, `{"kind":1,`, 1), 0},
		{"upper case", strings.Replace(event, `"kind"`, `"Kind"`, 1), 0},
		{"a name too few", strings.Replace(event, `"kind":`, `"k":`, 1), 0},
		{"a control character", object(`"\u0001"`, `[]`), 1},
		{"a control character that stands there", object("\"\x01\"", `[]`), 0},
		{"a control character of a tag", object(`""`, `[["\u0001"]]`), 1},
		{"what is no UTF-8", object("\"\xff\"", `[]`), 0},
		{"half a surrogate pair", object(`"\ud800"`, `[]`), 0},
		{"a tag that is none", object(`""`, `[[],1]`), 0},
		{"a wrong number", strings.Replace(event, `"kind":`, `"kind":0`, 1), 0},
		{"an escaped key", strings.Replace(event, `"pubkey":"`, `"pubkey":"\u0030`, 1), 0},
		{"text behind it", "[" + event + " x", 1},
		{"a colon behind it", "[" + event + ":" + event + "]", 1},
		{"no comma", "[" + event + event + "]", 1},
		{"a comma too many", "[" + event + ",,", 1},
		{"an envelope", `["EVENT",` + event + "]" + event, 1},
		{"empty objects", "[{},{}]" + event, 1},
		{"a list in a list", "[[" + event + "]," + event + "]", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			if n := sameInParts(t, []byte(test.text)); n != test.want {
				t.Errorf("%d events were read in memory, want %d", n, test.want)
			}
		})
	}
}

// TestEventsChanged checks with sameInParts that a list of events with changed, removed and
// duplicated bytes gives the same rows.Units from memory as byte by byte.
func TestEventsChanged(t *testing.T) {
	text := "[" + strings.ReplaceAll(strings.TrimSpace(string(events(t, 6))), "\n", ",\n") + "]"
	r := rand.New(rand.NewPCG(1, 2))
	inMemory, most := 0, 0
	rounds := 300
	if os.Getenv("KOBLITZ_DEEP") != "" {
		rounds = 3000
	}
	for range rounds {
		b := []byte(text)
		for range 1 + r.IntN(2) {
			at := r.IntN(len(b) - 1)
			switch r.IntN(4) {
			case 0:
				b[at] = byte(r.Uint32())
			case 1:
				b[at] = `{}[]",:\0aA `[r.IntN(12)]
			case 2:
				b = append(b[:at], b[at+1:]...)
			case 3:
				b = append(b[:at+1], b[at:]...)
			}
		}
		n := sameInParts(t, b)
		inMemory += n
		most = max(most, n)
	}
	t.Logf("%d events were read in memory", inMemory)
	if most != 6 || inMemory < 2*rounds {
		t.Errorf("%d of 6 at most, %d in all", most, inMemory)
	}
}

// TestEventsBetweenReads checks that the reader finds events that straddle the ends of its reads.
// The input is longer than one buffer.
func TestEventsBetweenReads(t *testing.T) {
	var text bytes.Buffer
	const n = 700
	for i := range n {
		fmt.Fprintln(&text, object(`"`+strings.Repeat("x", 41*i%5000)+`"`, `[["p","é"]]`))
	}
	want, _ := units(t, NewReader(rows.Source{Name: "f", Reader: bytes.NewReader(text.Bytes())}))
	if text.Len() < 3*lines.BatchBytes || len(want) != n {
		t.Fatalf("%d bytes, %d units", text.Len(), len(want))
	}
	var got []string
	inMemory := 0
	var batches []*documentBatch
	r := NewDocuments(rows.Source{Name: "f", Reader: bytes.NewReader(text.Bytes())})
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b.(*documentBatch)) // not expanded yet, so its memory is in use
	}
	for _, b := range batches {
		for _, v := range b.values {
			if v.event {
				inMemory++
			}
		}
		b.Expand(func(u *rows.Unit) {
			u.Where.Line = 0
			got = append(got, fmt.Sprintf("%+v", *u))
		})
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("not what the lines are")
	}
	if inMemory == n || inMemory < n*9/10 || len(batches) < 4 {
		t.Errorf("%d of %d in memory, %d batches", inMemory, n, len(batches))
	}
}
