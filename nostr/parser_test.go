package nostr

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
	"weak"
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

// parse reads a text with one event.
func parse(text []byte) (*Parser, error) {
	p := new(Parser)
	p.Reset(text)
	event, err := p.Next()
	if err == nil && !event {
		err = errors.New("no event")
	}
	return p, err
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
			p, err := parse([]byte(object(test.content, test.tags)))
			if err != nil {
				t.Fatal(err)
			}
			want := `[0,"` + testKey + `",1741372931,7,` + test.want + `]`
			if got := string(p.AppendSerialized(nil)); got != want {
				t.Errorf("serialized %q, want %q", got, want)
			}
			if got, want := p.Event().ComputeID(), sha256.Sum256([]byte(want)); got != want {
				t.Errorf("id %x, want %x", got, want)
			}
		})
	}
}

// replaceIn returns text with new instead of the first old, which text must contain.
func replaceIn(t testing.TB, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in the event", old)
	}
	return strings.Replace(text, old, new, 1)
}

// TestParseErrors checks the field, the offset and the reason of errors.
func TestParseErrors(t *testing.T) {
	good := object(`"x"`, `[]`)
	replace := func(old, new string) string { return replaceIn(t, good, old, new) }
	for _, test := range []struct {
		name, text, field string
		before            string // text before the offset ends with it; "" if the field is missing
		reason            string
	}{
		{"number", ` 5`, "", " ", "expected an event"},
		{"no fields", `{}`, "id", "", "the event has no id"},
		{"no sig", replace(`"sig":"`+testSig+`",`, ""), "sig", "", "the event has no sig"},
		{"id twice", replace(`"kind"`, `"id":"`+testID+`","kind"`), "", testID + `",`, "a second time"},
		{"other case", replace(`"kind"`, `"Kind"`), "", testID + `",`, `may be taken for "kind"`},
		{"short id", replace(testID, testID[2:]), "id", `"id":`, "64 lowercase"},
		{"uppercase sig", replace(testSig, strings.ToUpper(testSig)), "sig", `"sig":`, "128 lowercase"},
		{"exponent", replace("1741372931", "1e9"), "created_at", `"created_at":1`, "whole number"},
		{"huge time", replace("1741372931", "9223372036854775808"), "created_at", `"created_at":`,
			"out of range"},
		{"kind 65536", replace(`"kind":7`, `"kind":65536`), "kind", `"kind":`, "65535"},
		{"tags is an object", replace(`"tags":[]`, `"tags":{}`), "tags", `"tags":`, "expected '['"},
		{"tag holds a number", replace(`"tags":[]`, `"tags":[["e",5]]`), "tags", `["e",`,
			"an array of strings"},
		{"control character", replace(`"x"`, "\"y\x01\""), "content", `:"y`, "character 0x01"},
		{"half a pair", replace(`"x"`, `"y\ud83d"`), "content", `:"y`, "surrogate"},
		{"not UTF-8", replace(`"x"`, "\"y\xff\""), "content", `:"y`, "not UTF-8"},
		{"unknown field", replace(`"kind"`, `"y":[1,tru],"kind"`), "", "[1,", "expected a value"},
		{"text behind", good + " x", "", "} ", "after the end"},
		{"truncated", good[:len(good)-1], "", good[:len(good)-1], "ends too early"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseEvent([]byte(test.text))
			var e *ParseError
			if !errors.As(err, &e) || e.Field != test.field || !strings.Contains(e.Reason, test.reason) {
				t.Fatalf("%#v, %v", err, err)
			}
			if (e.Offset < 0) != (test.before == "") ||
				e.Offset >= 0 && !strings.HasSuffix(test.text[:e.Offset], test.before) {
				t.Errorf("offset %d", e.Offset)
			}
			if e.Offset >= 0 && !strings.Contains(err.Error(), fmt.Sprintf("at offset %d: ", e.Offset)) ||
				!strings.Contains(err.Error(), test.field) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRefuses checks that texts with an error, or with more than one meaning, are no events.
func TestRefuses(t *testing.T) {
	good := object(`"x"`, `[]`)
	replace := func(old, new string) string { return replaceIn(t, good, old, new) }
	if _, err := ParseEvent([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, text, want string }{
		{"open", `{`, "ends too early"},
		{"no fields", `{}`, "has no id"},
		{"no id", replace(`"id":"`+testID+`",`, ""), "has no id"},
		{"no sig", replace(`"sig":"`+testSig+`",`, ""), "has no sig"},
		{"no content", replace(`"content":"x",`, ""), "has no content"},
		{"id twice", replace(`"kind"`, `"id":"`+testID+`","kind"`), `"id" comes a second time`},
		{"key twice by another spelling", replace(`"kind"`, `"\u006bind":1,"kind"`),
			`"kind" comes a second time`},
		{"Kelvin sign for k", replace(`"kind"`, `"\u212aind"`), `may be taken for "kind"`},
		{"long s for s", replace(`"sig"`, `"ſig"`), `may be taken for "sig"`},
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
		{"text after the event", good + " x", "after the end"},
		{"two events", good + good, "after the end"},
		{"comma at the end", replace(`"tags":[]}`, `"tags":[],}`), "expected a string"},
		{"no comma", replace(`,"kind"`, ` "kind"`), "expected ','"},
		{"no colon", replace(`"kind":`, `"kind"`), "expected ':'"},
		{"unknown field, broken", replace(`"kind"`, `"y":[1,{"z":tru}],"kind"`), "expected a value"},
		{"bad number", replace(`"kind"`, `"y":1.,"kind"`), "bad number"},
		{"deep", replace(`"kind"`, `"y":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,"kind"`),
			"deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := ParseEvent([]byte(test.text))
			if e != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, %v, want an error with %q", e, err, test.want)
			}
		})
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
		p, err := parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got, want := string(p.AppendSerialized(nil)), plainSerialization(testKey, "-5", "1", tags,
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
// from the same text, and that the JSON of the event is parsed to the same event.
func FuzzEvent(f *testing.F) {
	f.Add([]byte(object(`"x"`, `[["e","x"]]`)))
	f.Add([]byte(object(`"\ud83d\ude00\n\u0000"`, `[[]]`)))
	f.Add([]byte(object(`"\\\"\/"`, `[["\u0001\n","[",""],[],["\\"]]`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parse(text)
		if (err == nil) != (p.Event() != nil) {
			t.Fatalf("%q: an event and an error: %v", text, err)
		}
		if err != nil {
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("accepted, and is not JSON: %q", text)
		}
		fields := map[string]json.RawMessage{} // unlike a struct, a map distinguishes names by case
		if err := json.Unmarshal(p.Text(), &fields); err != nil {
			t.Fatal(err)
		}
		var id, key, sig, content string
		var tags [][]string
		var created, kind json.Number
		for name, dst := range map[string]any{"id": &id, "pubkey": &key, "sig": &sig, "content": &content,
			"tags": &tags, "created_at": &created, "kind": &kind} {
			if err := json.Unmarshal(fields[name], dst); err != nil {
				t.Fatalf("%s of %q: %v", name, text, err)
			}
		}
		e := p.Event()
		if hex.EncodeToString(e.ID[:]) != id || hex.EncodeToString(e.PubKey[:]) != key ||
			hex.EncodeToString(e.Sig[:]) != sig || fmt.Sprint(e.CreatedAt) != created.String() ||
			fmt.Sprint(e.Kind) != kind.String() || e.Content != content ||
			!reflect.DeepEqual(e.Tags, tags) {
			t.Fatalf("other fields in %q: %+v", text, e)
		}
		want := plainSerialization(key, created.String(), kind.String(), tags, content)
		if got := string(p.AppendSerialized(nil)); got != want {
			t.Fatalf("serialized %q, want %q", got, want)
		}
		if got := string(e.appendSerialized(nil)); got != want {
			t.Fatalf("the event is serialized %q, want %q", got, want)
		}
		again, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseEvent(again); err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("%q: %+v, %v", again, got, err)
		}
	})
}

// TestParserState checks that a Parser has no event before it reads one, after Reset, and after a
// text that is not an event.
func TestParserState(t *testing.T) {
	good := object(`"x"`, `[]`)
	noEvent := func(p *Parser, when, statedID string) {
		t.Helper()
		b := NewBatch(0, nil)
		b.AddParsed(p)
		if key, sig := p.Signed(); key != [32]byte{} || sig != [64]byte{} || p.Event() != nil ||
			p.Text() != nil || p.AppendSerialized(nil) != nil || len(b.rows) != 0 {
			t.Errorf("%s: an event", when)
		}
		id, stated := p.ID()
		if !stated && id != [32]byte{} || stated && hex.EncodeToString(id[:]) != statedID ||
			stated != (statedID != "") {
			t.Errorf("%s: id %x, %v", when, id, stated)
		}
	}
	var p Parser
	noEvent(&p, "zero value", "")
	read := func(text string) error {
		p.Reset([]byte(text))
		event, err := p.Next()
		if event != (p.Event() != nil) {
			t.Errorf("%s: Next returns %v, %v", text, event, err)
		}
		return err
	}
	envelope := `["EVENT","\"a",` + good + `]`
	for range 2 {
		if err := read(envelope); err != nil || string(p.Text()) != good {
			t.Fatal(err)
		}
		if kind, subscription := p.Envelope(); kind != "EVENT" || subscription != `"a` {
			t.Errorf("envelope %q of %q", kind, subscription)
		}
	}
	if _, err := p.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	noEvent(&p, "after the end", "")
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	p.Reset([]byte(good))
	noEvent(&p, "Reset", "")
	if err := read(`["EOSE","x"]`); err != nil {
		t.Error(err)
	}
	noEvent(&p, "envelope without an event", "")
	// A text that is not an event keeps the id that it states, and nothing else.
	for _, text := range []string{good + "x", envelope + "x", envelope[:len(envelope)-1] + ",1]",
		replaceIn(t, good, `"tags":[]`, `"tags":5`)} {
		if err := read(text); err == nil {
			t.Fatalf("%s: accepted", text)
		}
		noEvent(&p, text, testID)
	}
}

// TestParserReleases checks that a Batch and a Parser that was reset keep no part of a text.
func TestParserReleases(t *testing.T) {
	var p Parser
	b := NewBatch(1, nil)
	text := []byte(`["EVENT","a",` + object(`"x"`, `[["e"]]`) + `]`)
	first := weak.Make(&text[0])
	p.Reset(text)
	if _, err := p.Next(); err != nil || b.Add(p.Text()) != nil {
		t.Fatal(err)
	}
	p.Reset(nil)
	text = nil
	runtime.GC()
	if first.Value() != nil {
		t.Error("the text is still in memory")
	}
	runtime.KeepAlive(&p)
	runtime.KeepAlive(b)
}
