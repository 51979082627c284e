package nostr

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
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

// parse reads the text of one event.
func parse(text []byte) (*Parser, error) {
	p := new(Parser)
	p.Reset(text)
	err := p.ReadEvent()
	if err == nil {
		err = p.End()
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

// TestParseErrors checks the field, the offset and the reason of errors.
func TestParseErrors(t *testing.T) {
	good := object(`"x"`, `[]`)
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in the event", old)
		}
		return strings.Replace(good, old, new, 1)
	}
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
		if (err == nil) != (p.Event() != nil && p.End() == nil) {
			t.Fatalf("%q: an event and an error: %v", text, err)
		}
		if err != nil {
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("accepted, and is not JSON: %q", text)
		}
		fields := map[string]json.RawMessage{} // unlike a struct, a map distinguishes names by case
		if err := json.Unmarshal(text, &fields); err != nil {
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
