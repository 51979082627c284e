package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func open(r io.Reader) *JSON { return NewJSON(Source{Name: "f", Reader: r}, "thing") }

var unlimited = Limits{1 << 30, 1 << 30, 1 << 30}

// next returns a function that returns the next token of r, or io.EOF at the end of valid text.
func next(r *JSON) func() (json.Token, error) {
	return func() (json.Token, error) {
		if _, err := r.Peek(); err != nil {
			return nil, err
		}
		return r.Token()
	}
}

// tokens returns all tokens of a text and the error after them, which is io.EOF for valid text.
func tokens(next func() (json.Token, error)) (all []json.Token, err error) {
	for {
		t, err := next()
		if err != nil {
			return all, err
		}
		all = append(all, t)
	}
}

// FuzzTokens checks that tokens and values are the same as those of encoding/json.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"", " ", "17", "-0.5e+3 ", `"a"`, `"\u00e9\ud83d\ude00\ud800\n"`, "\"\xff\"", "[]", "{}", "[1,2]",
		"[1,]", "[,1]", "[1 2]", `{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`,
		`{"a":[{"b":null},true,false,[]]}`, "[1}", "{]", "]", "01", "1.", "1e", "-", "tru", "nul",
		"\"\t\"", `"\x"`, `"\u12g4"`, "[[[[1]]]]", "1\n2\n[3]\n", "{}{}", "[1]x", "\ufeff1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		want, wantErr := tokens(d.Token)
		got, err := tokens(next(open(iotest.OneByteReader(bytes.NewReader(text)))))
		whole, wholeErr := tokens(next(open(bytes.NewReader(text))))
		if fmt.Sprintf("%#v %t", got, err == io.EOF) != fmt.Sprintf("%#v %t", whole, wholeErr == io.EOF) {
			t.Errorf("byte by byte %#v, %v; at once %#v, %v", got, err, whole, wholeErr)
		}
		// The token reader of the standard library accepts some invalid texts, such as [1 2] and
		// {"a":1,}. Its value reader does not.
		good := func() bool {
			d := json.NewDecoder(bytes.NewReader(text))
			for {
				var x json.RawMessage
				if err := d.Decode(&x); err != nil {
					return err == io.EOF
				}
			}
		}()
		if deep := bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 10000; deep ||
			len(text) > maxScalar {
			return
		}
		if (err == io.EOF) != good {
			t.Fatalf("%q: %v, %v", text, err, wantErr)
		}
		if good && fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Fatalf("%q: %#v, want %#v", text, got, want)
		}
		var e *Error
		if !good && (!errors.As(err, &e) || e.File != "f" || e.Offset > int64(len(text)) ||
			e.Line != 1+bytes.Count(text[:e.Offset], []byte("\n"))) {
			t.Fatalf("%q: %v", text, err)
		}
		values(t, text, good)
	})
}

// values checks that reading text value by value, and skipping each value, give the same values and
// positions as encoding/json. valid reports whether text is valid JSON.
func values(t *testing.T, text []byte, valid bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	r, skip := open(iotest.HalfReader(bytes.NewReader(text))), open(bytes.NewReader(text))
	for {
		var want json.RawMessage
		var compact bytes.Buffer
		wantErr := d.Decode(&want)
		if wantErr == nil {
			json.Compact(&compact, want)
		}
		v, err := r.Value(unlimited)
		if skipErr := skip.Skip(); fmt.Sprint(skipErr) != fmt.Sprint(err) || err == nil &&
			skip.Here() != r.Here() {
			t.Fatalf("%q: skipping ends with %v at %v, reading with %v at %v", text, skipErr, skip.Here(),
				err, r.Here())
		}
		if wantErr != nil {
			if valid != (wantErr == io.EOF) || err == nil {
				t.Fatalf("%q: %v, %v", text, wantErr, err)
			}
			return
		}
		if err != nil || !bytes.Equal(v.Text, compact.Bytes()) {
			t.Fatalf("%q: %s, %v; want %s", text, v.Text, err, compact.Bytes())
		}
		if at := v.Place.Offset; !bytes.HasPrefix(text[at:], v.Text[:1]) || v.Place.Line != 1+bytes.Count(
			text[:at], []byte("\n")) {
			t.Fatalf("%q: %s at %+v", text, v.Text, v.Place)
		}
	}
}

func TestPlaces(t *testing.T) {
	r := open(strings.NewReader("{\n \"a\":\n\n [1,\n 2],\n\"b\": 3\n}"))
	for _, want := range []struct {
		token json.Token
		Position
	}{
		{json.Delim('{'), Position{1, 1}}, {"a", Position{6, 2}}, {json.Delim('['), Position{11, 4}},
		{json.Number("1"), Position{12, 4}},
		{json.Number("2"), Position{16, 5}}, {json.Delim(']'), Position{17, 5}}, {"b", Position{22, 6}},
		{json.Number("3"), Position{25, 6}}, {json.Delim('}'), Position{27, 7}},
	} {
		token, err := r.Token()
		if err != nil || token != want.token || r.Here() != want.Position {
			t.Errorf("%v, %v at %+v, want %v at %+v", token, err, r.Here(), want.token, want.Position)
		}
	}
	if _, err := r.Peek(); err != io.EOF {
		t.Error(err)
	}
}

// TestLimits checks that a value over a limit is skipped and that the value after it is read.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		text         string
		limits       Limits
		items, inner int
		over         string
	}{
		{`"` + strings.Repeat("x", 98) + `"`, Limits{Bytes: 100}, 0, 0, ""},
		{`"` + strings.Repeat("x", 99) + `"`, Limits{Bytes: 100}, 0, 0, "more than 100 bytes"},
		{`{ "a" :` + strings.Repeat(" ", 1000) + `1 }`, Limits{Bytes: 7}, 0, 0, ""},
		{strings.Repeat("1", 1<<20), Limits{Bytes: 100}, 0, 0, "more than 100 bytes"},
		{`{"a":[1,2],"b":[3]}`, Limits{100, 3, 0}, 3, 0, ""},
		{`{"a":[1,2],"b":[3]}`, Limits{100, 2, 0}, 3, 0, "more than 2 elements in its lists"},
		{`{"a":[[1,2],{"b":[3]}]}`, Limits{100, 2, 3}, 2, 3, ""},
		{`{"a":[[1,2],{"b":[3]}]}`, Limits{100, 2, 2}, 2, 3, "more than 2 elements in its lists"},
		{`[[],{},[{}]]`, Limits{100, 4, 0}, 4, 0, ""},
	} {
		r := open(strings.NewReader("[" + test.text + ", true]"))
		r.Token()
		v, err := r.Value(test.limits)
		if err != nil || v.Items != test.items || v.Inner != test.inner {
			t.Errorf("%.40s: %+v, %v", test.text, v, err)
		}
		if got := fmt.Sprint(v.Over); got != test.over && v.Over != nil || v.Over == nil &&
			test.over != "" || (v.Text == nil) != (v.Over != nil) {
			t.Errorf("%.40s: over %v, want %q", test.text, v.Over, test.over)
		}
		if next, err := r.Token(); next != true || err != nil {
			t.Errorf("%.40s: then %v, %v", test.text, next, err)
		}
	}
}

func TestBad(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("[", 10001): "f:1: bad JSON: exceeded max depth",
		"[\n1, \x1b]":              `f:2: bad JSON: invalid character '\x1b' at start of value`,
		"[1ׂ]": `f:1: bad JSON: invalid character '\xd7' after array element ` +
			`(expecting ',' or ']')`,
		`["\uX0", 1`: "f:1: bad JSON: invalid escape sequence in string",
		"[\u0085]":   `f:1: bad JSON: invalid character '\xc2' at start of value`,
		"{\"a\" 1}": `f:1: bad JSON: invalid character '1' after object name ` +
			`(expecting ':')`,
		"{\"x\": 1, 2}": "f:1: bad JSON: object member name must be a string",
		"[\"" + strings.Repeat("x", maxToken+2*chunkSize) + "\"]": "f:1: bad JSON: a string, a " +
			"number or white space of more than 22 MiB",
		"[1":     "f:1: the file ends in the middle of a thing",
		"\n[1\n": "f:3: the file ends in the middle of a thing",
	} {
		_, err := tokens(next(open(strings.NewReader(text))))
		if err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
		if len(text) < 1000 { // as if each byte came alone
			_, err := tokens(next(open(iotest.OneByteReader(strings.NewReader(text)))))
			if err == nil || err.Error() != want {
				t.Errorf("%q byte by byte: %v, want %s", text, err, want)
			}
		}
		if err := open(strings.NewReader(text)).Skip(); err == nil || err.Error() != want {
			t.Errorf("%.40q passed over: %v, want %s", text, err, want)
		}
	}
	broken := errors.New("broken")
	r := open(io.MultiReader(strings.NewReader("[1,\n2"), iotest.ErrReader(broken)))
	if _, err := tokens(next(r)); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f:2: ") {
		t.Error(err)
	}
	if _, err := open(stuck{}).Peek(); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// stuck is an io.Reader that always returns no bytes and no error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestShortValue(t *testing.T) {
	v, err := open(strings.NewReader(" [17, 1]")).ShortValue()
	if err != nil || string(v) != "[17,1]" {
		t.Errorf("%s, %v", v, err)
	}
	const want = "f:1: bad thing: a value of more than 4096 bytes"
	if v, err = open(strings.NewReader(strings.Repeat("1", 5000))).ShortValue(); v != nil ||
		fmt.Sprint(err) != want {
		t.Errorf("%s, %v", v, err)
	}
	for text, want := range map[string]string{
		`{"N":"x"}`: "string where int32 is wanted, in N",
		`{"N":` + strings.Repeat("1", 50) + "}": "number " + strings.Repeat("1", 33) +
			" where int32 is wanted, in N",
	} {
		if got := JSONReason(json.Unmarshal([]byte(text), new(struct{ N int32 }))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for text, want := range map[string]string{
		"null": "<nil>",
		`{"code": -5, "message": "é"}`: `f:1: instead of a thing the node answered: {"code":` +
			`-5,"message":"é"}`,
		"\"\u202e\u009b31m\xff\"": `f:1: instead of a thing the node answered: ` +
			`"\u202e\u009b31m\xff"`,
		`"` + strings.Repeat("x", 1000): "f:1: the file ends in the middle of a thing",
		`"` + strings.Repeat("x", 1000) + `"`: `f:1: instead of a thing the node answered: "` +
			strings.Repeat("x", 200-1),
		`"` + strings.Repeat("x", 10000) + `"`: "f:1: instead of a thing the node answered with a " +
			"very long error",
	} {
		if err := open(strings.NewReader(text)).Refusal(); fmt.Sprint(err) != want {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}
