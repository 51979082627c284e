package nostr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// units reads all reading.Units of r and returns one line of text for each, without its position.
func units(t testing.TB, r reading.Reader) (all []string, err error) {
	t.Helper()
	err = read(r, func(u *reading.Unit) {
		line := u.Where.Line
		if u.Where.Line = 0; line < 1 {
			t.Fatalf("line %d", line)
		}
		all = append(all, fmt.Sprintf("%+v", *u))
	})
	return all, err
}

func indented(text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "\t"); err != nil {
		panic(err)
	}
	return b.String()
}

// TestDocuments checks that the same events give the same reading.Units whether they are one a
// line, in lists, or indented, and also with envelopes among them.
func TestDocuments(t *testing.T) {
	event := object(`"some \u00e9 text\n"`, `[["e","x"],["p"]]`)
	bad := strings.Replace(event, `"kind":`, `"kind":1`, 1)
	values := []string{event, bad, `["EVENT",` + event + `]`, `["EVENT","sub",` + bad + `]`,
		`["EOSE","sub"]`, `{"no":"event"}`, `["AUTH",` + event + `]`, `[` + event + `,` + event + `]`}
	var many []string
	for range 100 {
		many = append(many, values...)
	}
	lines := strings.Join(many, "\n")
	want, err := units(t, NewReader(reading.Source{Name: "f", Reader: strings.NewReader(lines)}))
	if err != nil || len(want) != 900 {
		t.Fatalf("%d units, %v", len(want), err)
	}
	var printed []string
	for _, v := range many {
		printed = append(printed, indented(v))
	}
	list := "[" + strings.Join(many, ",\n") + "]"
	for name, text := range map[string]string{
		"lines":        lines,
		"printed":      strings.Join(printed, "\n"),
		"list":         list,
		"printed list": indented(list),
		"lists":        "[]" + list[:len(list)-1] + "\n]\n" + "[ ]",
		"one line":     strings.ReplaceAll(list, ",\n", ","),
	} {
		open := func(src reading.Source) reading.Reader { return NewDocuments(src) }
		got, err := units(t, open(reading.Source{Name: "f", Reader: strings.NewReader(text)}))
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %d units, want %d, %v", name, len(got), len(want), err)
		}
		if n := placetest.Check(t, []byte(text), open); n < 3 {
			t.Errorf("%s: %d places", name, n)
		}
		head := []byte(text[:min(len(text), 64<<10)])
		if AreDocuments(head) != (name != "lines") {
			t.Errorf("%s: documents %v", name, AreDocuments(head))
		}
	}
}

// TestAreDocuments checks which texts AreDocuments takes for values that span several lines. Lines
// that are not valid JSON must not count.
func TestAreDocuments(t *testing.T) {
	event := object(`"x"`, `[]`)
	for text, want := range map[string]bool{
		"":                                      false,
		"text\n":                                false,
		event:                                   false,
		event + "\n{broken\n" + event:           false,
		"{broken\n" + event + "\n":              false,
		event[:100] + "\n" + event:              false,
		"{\"a\":1,\n" + event:                   false,
		"{\n \"a\":1}":                          true,
		"\n\n[\n{\"a\":1}]":                     true,
		"[" + event + ",\n" + event:             true,
		"[" + strings.Repeat(event+",", 1000):   true,
		"[\"EVENT\"," + strings.Repeat(" ", 99): false,
	} {
		if AreDocuments([]byte(text)) != want {
			t.Errorf("%.60q: want %v", text, want)
		}
	}
}

// TestDocumentErrors checks that text that is not JSON ends the reading after the values before it,
// and that a value that is too long is malformed.
func TestDocumentErrors(t *testing.T) {
	event := object(`"x"`, `[]`)
	long := strings.Replace(event, `"x"`, `"`+strings.Repeat("x", MaxLine)+`"`, 1)
	for name, test := range map[string]struct {
		text  string
		units int
		err   string
	}{
		"empty":         {" \n", 0, ": an empty file"},
		"empty list":    {"[\n]\n[]", 0, "f:3: there is no event in it"},
		"broken":        {"[" + event + ",\n" + event + "\n,{broken", 2, "f:3: bad JSON"},
		"cut":           {"[\n" + event + ",\n" + event[:50], 1, "f:3: the file ends in the middle"},
		"cut list":      {"[\n" + event + "\n", 1, "the file ends in the middle"},
		"comma":         {"[" + event + ",]", 1, "bad JSON"},
		"cut envelope":  {"[\"EVENT\",\n", 0, "the file ends in the middle"},
		"no end":        {"[\"EVENT\"\n" + event, 0, "bad JSON"},
		"long":          {"[" + long + ",\n" + event + "]", 2, ""},
		"long envelope": {"[\"EVENT\"," + long + "]" + event, 2, ""},
		"sum": {`["EVENT"` + strings.Repeat(`,"`+strings.Repeat("x", 1<<20)+`"`, 3) + "]" + event, 2,
			""},
	} {
		got, err := units(t, NewDocuments(reading.Source{Name: "f", Reader: strings.NewReader(
			test.text)}))
		if len(got) != test.units || (err == nil) != (test.err == "") ||
			err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %d units, want %d, %v", name, len(got), test.units, err)
		}
		if test.err == "" && (!strings.Contains(got[0], "more than 2097152 bytes") ||
			strings.Contains(got[1], "more than")) {
			t.Errorf("%s: %s", name, got[0])
		}
	}
}

// FuzzDocuments checks for arbitrary text that reading can resume at every place, and that reading
// in parts gives the same reading.Units.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(`[{"sig":""},{"sig":1}] ["EVENT",{}] {"id":1}`))
	f.Add([]byte("[[],{},\n[1]]{"))
	f.Add([]byte("[[],{},\n[1]\u05c2{"))
	f.Add([]byte("0{\"0000000\":\"\\uX0"))
	f.Add([]byte("[" + object(`"\u0041"`, `[["a"],[]]`) + ", " + object(`"\u0001"`, `[]`) + "]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		placetest.Check(t, data, NewDocuments)
		whole, err := units(t, NewDocuments(reading.Source{Name: "f", Reader: bytes.NewReader(data)}))
		parts, errParts := units(t, NewDocuments(reading.Source{Name: "f",
			Reader: iotest.OneByteReader(bytes.NewReader(data))}))
		if fmt.Sprint(whole, err) != fmt.Sprint(parts, errParts) {
			t.Fatalf("%v, %v\nin parts: %v, %v", whole, err, parts, errParts)
		}
		AreDocuments(data)
	})
}
