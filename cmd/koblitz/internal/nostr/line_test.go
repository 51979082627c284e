package nostr

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	testID  = "d56beb302090d1ed710361a737ed51cd11b0c55c3c97f3710600c5ffc799fd49"
	testKey = "6b090de0afd7ed93e6a78ff911526ca81fb9597d2ad76d9ac8021d4378539a20"
	testSig = "65365ce2ae190d71eb5923900ff3488342e80e8c3ca239c307366428946cf105" +
		"de92dd0053b6bc4a2d5fa416c34bf29a767f8385d8c4772ee43195c3ea04e33e"
)

// object returns an event with the given content and tags in JSON.
func object(content, tags string) string {
	return fmt.Sprintf(`{"content":%s,"created_at":1741372931,"id":"%s","kind":7,"pubkey":"%s",`+
		`"sig":"%s","tags":%s}`,
		content, testID, testKey, testSig, tags)
}

// errPassedOver marks a line without an event.
var errPassedOver = errors.New("passed over")

// parseLine parses a line that is an event or an EVENT envelope.
func parseLine(line []byte) error {
	l := newLineReader(nil)
	l.seek(line, 0)
	is, err := l.outer()
	switch {
	case err != nil:
		return errors.New(reason(err))
	case !is:
		return errPassedOver
	}
	return nil
}

func TestParseErrors(t *testing.T) {
	good := object(`"x"`, `[]`)
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the event", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	tests := []struct{ name, line, want string }{
		{"empty", ``, "expected an event"},
		{"word", `hello`, "column 1: expected an event"},
		{"number", `5`, "expected an event"},
		{"no id", replace(`"id":"`+testID+`",`, ""), "has no id"},
		{"id twice", replace(`"kind"`, `"id":"`+testID+`","kind"`), `"id" comes a second time`},
		{"float time", replace("1741372931", "1741372931.0"),
			"column 39: created_at: expected a whole number"},
		{"large kind", replace(`"kind":7`, `"kind":65536`), ": kind: kind is not between 0 and 65535"},
		{"short sig", replace(`"sig":"`, `"sig":"00`), ": sig: expected 128 lowercase"},
		{"text after the event", good + " x", "after the end"},
		{"truncated", good[:100], "ends too early"},

		{"empty envelope", `[]`, "begins with its kind"},
		{"number envelope", `[1]`, "begins with its kind"},
		{"nothing in it", `["EVENT"]`, "expected ','"},
		{"no event in it", `["EVENT","x"]`, "expected ','"},
		{"something else in it", `["EVENT","x",5]`, "expected an event"},
		{"more in it", `["EVENT","x",` + good + `,1]`, "expected ']'"},
		{"open envelope", `["EVENT","x",` + good, "ends too early"},
		{"text behind the envelope", `["EVENT",` + good + `]]`, "after the end"},
		{"broken envelope of another kind", `["EOSE","x"`, "ends too early"},
		{"text behind another kind", `["EOSE","x"] 1`, "after the end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := parseLine([]byte(test.line))
			if err == nil || errors.Is(err, errPassedOver) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	good := object(`"x"`, `[]`)
	for _, line := range []string{
		good,
		" \t" + good + " \r",
		`["EVENT",` + good + `]`,
		` [ "EVENT" , "sub" , ` + good + ` ] `,
		`["\u0045VENT","",` + good + `]`,
		strings.Replace(good, `"kind"`, `"seen":[1,-2.5e+3,{"a":null,"b":[true,false,[]],"c":{}}],`+
			`"seen":"twice","kind"`, 1),
	} {
		if err := parseLine([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{`["EOSE","x"]`, `["OK","id",true,""]`, `["NOTICE","a\nb"]`,
		`["event"]`} {
		if err := parseLine([]byte(line)); !errors.Is(err, errPassedOver) {
			t.Errorf("%s: %v, want it passed over", line, err)
		}
	}
}

// FuzzLine checks that something is said about every line, and that every accepted line is JSON.
func FuzzLine(f *testing.F) {
	f.Add([]byte(object(`"x"`, `[["e","x"]]`)))
	f.Add([]byte(object(`"\ud83d\ude00\n\u0000"`, `[[]]`)))
	f.Add([]byte(`["EVENT","a",` + object(`""`, `[]`) + `]`))
	f.Add([]byte(`["EOSE",{"a":[1.5e3,-0,null]}]`))
	f.Add([]byte(`["AUTH",` + object(`""`, `[]`) + `,[{"a":` + object(`""`, `[]`) + `}]]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		units := 0
		newLineReader(func(u *rows.Unit) {
			units++
			if u.Decided == rows.Valid || u.Reason == "" && u.Decided != rows.Unchecked &&
				u.Decided != rows.PassedOver {
				t.Fatalf("unit %+v", u)
			}
		}).read(line, rows.In("f"))
		if units == 0 {
			t.Fatalf("nothing is said about %q", line)
		}
		err := parseLine(line)
		if err != nil && !errors.Is(err, errPassedOver) {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("accepted, and is not JSON: %q", line)
		}
		if err == nil && !utf8.Valid(line) {
			t.Fatalf("accepted, and is not UTF-8: %q", line)
		}
	})
}

// TestEscapedControlsWork checks that the text for the hint about escaped control characters is
// right, and that it is hashed in few parts whatever the event holds.
func TestEscapedControlsWork(t *testing.T) {
	for _, text := range []string{"", "\n", "ab\x00\x1f", strings.Repeat("a", 5000),
		strings.Repeat("\x01", 1<<16), strings.Repeat("a\x1f", 1<<16),
		strings.Repeat("abcdefg\t", 1<<16)} {
		var want strings.Builder
		for _, c := range []byte(text) {
			if c < 0x20 {
				fmt.Fprintf(&want, `\u%04x`, c)
			} else {
				want.WriteByte(c)
			}
		}
		var got strings.Builder
		parts := 0
		writeEscapedControls(writerFunc(func(b []byte) (int, error) {
			parts++
			return got.Write(b)
		}), []byte(text))
		if got.String() != want.String() || parts > 1+want.Len()/4000 {
			t.Errorf("%.9q…: %d bytes in %d parts, want %d", text, got.Len(), parts, want.Len())
		}
	}
}

// A writerFunc is an io.Writer.
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
