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
		{"open", `{`, "ends too early"},
		{"no fields", `{}`, "has no id"},
		{"no id", replace(`"id":"`+testID+`",`, ""), "has no id"},
		{"no sig", replace(`"sig":"`+testSig+`",`, ""), "has no sig"},
		{"no content", replace(`"content":"x",`, ""), "has no content"},
		{"id twice", replace(`"kind"`, `"id":"`+testID+`","kind"`), `"id" comes a second time`},
		{"key twice by another spelling", replace(`"kind"`, `"\u006bind":1,"kind"`),
			`"kind" comes a second time`},
		{"short id", replace(testID, testID[2:]), "64 lowercase"},
		{"long key", replace(testKey, testKey+"00"), "64 lowercase"},
		{"uppercase sig", replace(testSig, strings.ToUpper(testSig)), "128 lowercase"},
		{"id is no hex", replace(testID, "g"+testID[1:]), "64 lowercase"},
		{"id is a number", replace(`"`+testID+`"`, "5"), "expected a string"},
		{"float time", replace("1741372931", "1741372931.0"), "whole number"},
		{"exponent", replace("1741372931", "1e9"), "whole number"},
		{"leading zero", replace("1741372931", "01"), "whole number"},
		{"negative zero", replace("1741372931", "-0"), "whole number"},
		{"time is a string", replace("1741372931", `"1"`), "whole number"},
		{"huge time", replace("1741372931", "9223372036854775808"), "out of range"},
		{"kind 65536", replace(`"kind":7`, `"kind":65536`), "65535"},
		{"negative kind", replace(`"kind":7`, `"kind":-1`), "65535"},
		{"tags is an object", replace(`"tags":[]`, `"tags":{}`), "expected '['"},
		{"tag is a string", replace(`"tags":[]`, `"tags":["e"]`), "a tag is an array of strings"},
		{"tag holds a number", replace(`"tags":[]`, `"tags":[["e",5]]`), "a tag is an array of strings"},
		{"tags with a comma too many", replace(`"tags":[]`, `"tags":[["e"],]`),
			"a tag is an array of strings"},
		{"tag with a comma too many", replace(`"tags":[]`, `"tags":[["e",]]`),
			"a tag is an array of strings"},
		{"content is null", replace(`"x"`, `null`), "expected a string"},
		{"raw control character", replace(`"x"`, "\"\x01\""), "control character 0x01"},
		{"unknown escape", replace(`"x"`, `"\x"`), "unknown escape"},
		{"short escape", replace(`"x"`, `"\u12"`), "four hexadecimal digits"},
		{"half a pair", replace(`"x"`, `"\ud83d"`), "surrogate"},
		{"half a pair and a letter", replace(`"x"`, `"\ud83d\u0041"`), "surrogate"},
		{"the wrong half", replace(`"x"`, `"\ude00\ud83d"`), "surrogate"},
		{"not UTF-8", replace(`"x"`, "\"\xff\""), "not UTF-8"},
		{"UTF-8 of a surrogate", replace(`"x"`, "\"\xed\xa0\x80\""), "not UTF-8"},
		{"text behind", good + " x", "after the end"},
		{"two events", good + good, "after the end"},
		{"comma at the end", replace(`"tags":[]}`, `"tags":[],}`), "expected a string"},
		{"no comma", replace(`,"kind"`, ` "kind"`), "expected ','"},
		{"no colon", replace(`"kind":`, `"kind"`), "expected ':'"},
		{"unknown field, broken", replace(`"kind"`, `"y":[1,{"z":tru}],"kind"`), "expected a value"},
		{"bad number", replace(`"kind"`, `"y":1.,"kind"`), "bad number"},
		{"deep", replace(`"kind"`, `"y":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,"kind"`),
			"deep"},
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
