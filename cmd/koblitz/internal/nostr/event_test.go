package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
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
func (e *event) parseLine(line []byte) error {
	l := newLineReader(nil)
	l.s.b = line
	is, err := l.outer()
	*e = l.event
	if err == nil && !is {
		err = errPassedOver
	}
	return err
}

func TestSerialization(t *testing.T) {
	tests := []struct {
		name, content, tags string // as in the line
		want                string // content and tags as they are hashed: tags,content
	}{
		{"empty", `""`, `[]`, `[],""`},
		{"plain", `"hello"`, `[["e","x"],["p"]]`, `[["e","x"],["p"]],"hello"`},
		{"empty tag", `""`, `[[]]`, `[[]],""`},
		{"space between", `"a"`, " [ [ \"e\" , \"x\" ] \t, [ ] ] ", `[["e","x"],[]],"a"`},
		{"the seven escapes", `"\n\"\\\r\t\b\f"`, `[]`, `[],"\n\"\\\r\t\b\f"`},
		{"the seven, escaped otherwise", `"\u000a\u0022\u005c\u000d\u0009\u0008\u000C"`, `[]`,
			`[],"\n\"\\\r\t\b\f"`},
		{"solidus", `"\/ /"`, `[]`, `[],"/ /"`},
		{"escaped letters stand as themselves", `"\u0041\u00e9\u20ac"`, `[]`, `[],"Aé€"`},
		{"surrogate pair", `"\ud83d\ude00 😀"`, `[]`, `[],"😀 😀"`},
		{"other control characters stand as themselves", `"\u0001\u001f\u0000\u007f"`, `[]`,
			"[],\"\x01\x1f\x00\x7f\""},
		{"characters that HTML or JavaScript would escape", `"<>&` + "\u2028\u2029" + `'"`, `[]`,
			"[],\"<>&\u2028\u2029'\""},
		{"in tags too", `""`, `[["\n","\u003c"]]`, `[["\n","<"]],""`},
		{"replacement character itself", `"\ufffd` + "\ufffd" + `"`, `[]`, "[],\"\ufffd\ufffd\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e event
			if err := e.parseLine([]byte(object(test.content, test.tags))); err != nil {
				t.Fatal(err)
			}
			want := `[0,"` + testKey + `",1741372931,7,` + test.want + `]`
			if got := string(e.serialize()); got != want {
				t.Errorf("serialized %q, want %q", got, want)
			}
			if got, want := e.computeID(), sha256.Sum256([]byte(want)); got != want {
				t.Errorf("id %x, want %x", got, want)
			}
		})
	}
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
			var e event
			err := e.parseLine([]byte(test.line))
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
		var e event
		if err := e.parseLine([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{`["EOSE","x"]`, `["OK","id",true,""]`, `["NOTICE","a\nb"]`,
		`["event"]`} {
		var e event
		if err := e.parseLine([]byte(line)); !errors.Is(err, errPassedOver) {
			t.Errorf("%s: %v, want it passed over", line, err)
		}
	}
}

// randomText returns text with all kinds of characters.
func randomText(r *rand.Rand) string {
	pieces := []string{"a", "\"", "\\", "\n", "\r", "\t", "\b", "\f", "\x00", "\x1f", "\x7f", "é", "€",
		"😀", "\u2028", "<", "/", "\ufffd", "\U0010ffff"}
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestAgainstEncodingJSON encodes events with the standard library, which escapes more characters
// than NIP-01 does. It checks that the parser's serialization is still that of NIP-01.
func TestAgainstEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e event
	for range 2000 {
		content := randomText(r)
		tags := [][]string{}
		for range r.IntN(4) {
			tag := []string{}
			for range r.IntN(4) {
				tag = append(tag, randomText(r))
			}
			tags = append(tags, tag)
		}
		line, err := json.Marshal(map[string]any{"id": testID, "pubkey": testKey, "sig": testSig,
			"kind": 1, "created_at": -5, "tags": tags, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.parseLine(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got, want := string(e.serialize()), plainSerialization(testKey, "-5", "1", tags,
			content); got != want {
			t.Fatalf("serialized %q, want %q", got, want)
		}
	}
}

// plainSerialization implements NIP-01's serialization literally, on decoded values.
func plainSerialization(key, created, kind string, tags [][]string, content string) string {
	quote := func(s string) string {
		return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`, `\`, `\\`, "\r", `\r`, "\t", `\t`, "\b",
			`\b`, "\f", `\f`).Replace(s) + `"`
	}
	var outer []string
	for _, tag := range tags {
		var inner []string
		for _, s := range tag {
			inner = append(inner, quote(s))
		}
		outer = append(outer, "["+strings.Join(inner, ",")+"]")
	}
	return "[0," + quote(key) + "," + created + "," + kind + ",[" + strings.Join(outer, ",") + "]," +
		quote(content) + "]"
}

// FuzzEvent checks that every accepted event has the same fields as the standard library decodes
// from the same line.
func FuzzEvent(f *testing.F) {
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
		var e event
		err := e.parseLine(line)
		if err != nil && !errors.Is(err, errPassedOver) {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("accepted, and is not JSON: %q", line)
		}
		if err != nil {
			return
		}
		if !utf8.Valid(line) {
			t.Fatalf("accepted, and is not UTF-8: %q", line)
		}
		event := line
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t\r\n"), []byte("[")) {
			var parts []json.RawMessage
			if err := json.Unmarshal(line, &parts); err != nil {
				t.Fatal(err)
			}
			event = parts[len(parts)-1]
		}
		fields := map[string]json.RawMessage{} // unlike a struct, a map distinguishes names by case
		if err := json.Unmarshal(event, &fields); err != nil {
			t.Fatal(err)
		}
		var id, key, sig, content string
		var tags [][]string
		var created, kind json.Number
		for name, dst := range map[string]any{"id": &id, "pubkey": &key, "sig": &sig, "content": &content,
			"tags": &tags, "created_at": &created, "kind": &kind} {
			if err := json.Unmarshal(fields[name], dst); err != nil {
				t.Fatalf("%s of %q: %v", name, line, err)
			}
		}
		if hex.EncodeToString(e.id[:]) != id || hex.EncodeToString(e.key[:]) != key ||
			hex.EncodeToString(e.sig[:]) != sig {
			t.Fatalf("other id, key or signature in %q", line)
		}
		if got, want := string(e.serialize()), plainSerialization(key, created.String(), kind.String(),
			tags, content); got != want {
			t.Fatalf("serialized %q, want %q", got, want)
		}
	})
}
