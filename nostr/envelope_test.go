package nostr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A value is the result of a call of Next.
type value struct {
	kind, subscription string
	event              *Event
	err                string
}

// readAll reads all values of a text, which may be a list.
func readAll(t *testing.T, text []byte) (all []value) {
	t.Helper()
	p := Parser{Lists: true}
	p.Reset(text)
	for range len(text) + 2 {
		event, err := p.Next()
		if err == io.EOF {
			return all
		}
		v := value{event: p.Event()}
		if v.kind, v.subscription = p.Envelope(); err != nil {
			v.err = err.Error()
		}
		if all = append(all, v); event != (v.event != nil) || event && err != nil {
			t.Fatalf("%q: Next returns %v for %+v", text, event, v)
		}
	}
	t.Fatalf("%q: the text does not end", text)
	return nil
}

func TestNext(t *testing.T) {
	e := object(`"x"`, `[]`)
	const (
		neither  = "expected an event {…} or an envelope […]"
		noKind   = "an envelope begins with its kind, a string"
		afterEnd = "unexpected text after the end of the value"
	)
	short := strings.Repeat("k", 40)
	at := func(offset int) string { return fmt.Sprintf("nostr: at offset %d: ", offset) }
	failed := func(kind, err string) []value { return []value{{kind: kind, err: err}} }
	hides := func(kind, shown string) []value {
		return failed(kind, "nostr: an envelope of kind "+shown+
			` with an object that has "sig", as an event; events are in EVENT and AUTH`)
	}
	event, err := ParseEvent([]byte(e))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		want []value
	}{
		{e, []value{{event: event}}},
		{" \t" + e + "\r\n", []value{{event: event}}},
		{`["EVENT",` + e + `]`, []value{{kind: "EVENT", event: event}}},
		{` [ "\u0045VENT" , "\u0022s\n" , ` + e + ` ] `, []value{{"EVENT", "\"s\n", event, ""}}},
		{strings.Replace(e, `"kind"`, `"seen":[1,-2.5e+3,{"a":null,"b":[true,false,[]],"c":{}}],`+
			`"seen":"twice","sig ":"","kind"`, 1), []value{{event: event}}},
		{`["AUTH",` + e + `]`, []value{{kind: "AUTH", event: event}}},
		{`["AUTH","challenge"]`, []value{{kind: "AUTH"}}},
		{`["EOSE","x"]`, []value{{kind: "EOSE"}}},
		{`["a\u0001\/"]`, []value{{kind: "a\x01/"}}},

		{``, failed("", at(0)+"the text ends too early: "+neither)},
		{`5`, failed("", at(0)+neither)},
		{`[]`, failed("", at(1)+noKind)},
		{`["EV`, failed("", at(4)+"the text ends too early: inside a string")},
		{`["\u00e`, failed("", at(7)+"the text ends too early: inside an escape sequence")},
		{`["EVENT"]`, failed("EVENT", at(8)+"expected ','")},
		{`["EVENT","x`, failed("EVENT", at(11)+"the text ends too early: inside a string")},
		{`["EVENT",{}]`, failed("EVENT", "nostr: the event has no id")},
		{`["EVENT",{"id":5}]`, failed("EVENT", "nostr: id, at offset 15: expected a string")},
		{`["EVENT",5]`, failed("EVENT", at(9)+"expected an event {…}")},
		{`["EVENT",` + e + `,1]`, failed("EVENT", at(9+len(e))+"expected ']'")},
		{`["EVENT",` + e + `],`, failed("EVENT", at(10+len(e))+afterEnd)},
		{e + ",", failed("", at(len(e))+afterEnd)},
		{`["EOSE","x"],`, failed("EOSE", at(12)+afterEnd)},
		{`["EOSE","x"`, failed("EOSE", at(11)+"the text ends too early: expected ',' or ']'")},

		{`["X",[{"a":{"sig":1}}]]`, hides("X", `"X"`)},
		{`["X",{"\u0053ig":1}]`, hides("X", `"X"`)},
		{`["X",{"ſIG":1}]`, hides("X", `"X"`)},
		{`["AUTH","challenge",` + e + `]`, hides("AUTH", `"AUTH"`)},
		{`["` + short + `",{"sig":1}]`, hides(short, `"`+short+`"`)},
		{`["` + short + `k",{"sig":1}]`, hides(short+"k", `"`+short+`"…`)},
		{`["é",{"sig":1}]`, hides("é", `"\u00e9"`)},
		{`["X","sig",["sig"],{"a":"sig","sig ":1}]`, []value{{kind: "X"}}},

		{`[` + e + `,["EVENT","s",` + e + `] , ["EOSE","s"],{}]`, []value{{event: event},
			{"EVENT", "s", event, ""}, {kind: "EOSE"}, {err: "nostr: the event has no id"}}},
		{`[ [ [ ` + e + ` ] , ["OK"] ] , [[["AUTH"]]]]`,
			[]value{{event: event}, {kind: "OK"}, {kind: "AUTH"}}},
		{`[1,[],[{"id":1}],[["OK"]]]`, []value{{err: at(1) + neither}, {err: at(4) + noKind},
			{err: "nostr: id, at offset 13: expected a string"}, {kind: "OK"}}},
		{`[["X",{"sig":0}],["OK",{}]]`, append(hides("X", `"X"`), value{kind: "OK"})},
		{`[` + e + `,1`, failed("", at(len(e)+3)+"the text ends too early: expected ',' or ']'")},
		{`[["OK"]] 5`, failed("", at(9)+afterEnd)},
		{strings.Repeat("[", 199) + `["OK"]` + strings.Repeat("]", 199), []value{{kind: "OK"}}},
		{strings.Repeat("[", 200) + `["OK"]` + strings.Repeat("]", 200),
			failed("", at(201)+"nested more than 200 deep")},
	} {
		if got := readAll(t, []byte(test.text)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n%+v\nwant %+v", test.text, got, test.want)
		}
	}
}

// TestNextWithoutLists checks that a list is neither an event nor an envelope without Lists.
func TestNextWithoutLists(t *testing.T) {
	var p Parser
	p.Reset([]byte(`[["OK"]`))
	_, err := p.Next()
	if err == nil || !strings.Contains(err.Error(), "an envelope begins with its kind") {
		t.Error(err)
	}
	if _, err := p.Next(); err != io.EOF {
		t.Error(err)
	}
}

// TestNextChangedText checks that reading ends if the text changes.
func TestNextChangedText(t *testing.T) {
	p := Parser{Lists: true}
	text := []byte(`[["OK"],["OK"]]`)
	p.Reset(text)
	_, first := p.Next()
	copy(text[8:], "?")
	_, second := p.Next()
	if _, err := p.Next(); first != nil || second == nil || err != io.EOF {
		t.Error(first, second, err)
	}
}

// TestNextAfterReset checks that Reset within a list ends the list.
func TestNextAfterReset(t *testing.T) {
	p := Parser{Lists: true}
	p.Reset([]byte(`[["OK"],["OK"]]`))
	_, first := p.Next()
	p.Reset([]byte(`["OK"]`))
	_, second := p.Next()
	if _, err := p.Next(); first != nil || second != nil || err != io.EOF {
		t.Error(first, second, err)
	}
}

// FuzzNext compares Next with encoding/json and ParseEvent.
func FuzzNext(f *testing.F) {
	e := object(`"x"`, `[]`)
	for _, text := range []string{e, `["EVENT","\u0022",` + e + `]`, `["AUTH",` + e + `]`,
		`["AUTH",""]`, `["EVENT",` + e + `,1]`, `[["EOSE",{"a":[1.5e3,-0,null]}],[` + e + `],{}]`,
		`["X",[{"Sig":` + e + `}]]`, `[[[1],"a"],[]]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := readAll(t, text)
		if !json.Valid(text) {
			if len(got) != 1 || got[0].err == "" {
				t.Fatalf("%q is not JSON: %+v", text, got)
			}
			return
		}
		want := plainValues(text)
		// Next refuses more: deep nesting, text that is not UTF-8, and half of a surrogate pair.
		mayFail := bytes.Count(text, []byte{'['})+bytes.Count(text, []byte{'{'}) > 200 ||
			!utf8.Valid(text) || bytes.Contains(text, []byte(`\u`))
		if mayFail && len(got) == 1 && got[0].err != "" {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %+v, want %+v", text, got, want)
		}
		for i, v := range got {
			if v.err != "" {
				v = refused
			}
			if !reflect.DeepEqual(v, want[i]) && !(mayFail && v == refused) {
				t.Fatalf("%q: %+v, want %+v", text, got[i], want[i])
			}
		}
	})
}

// refused is the value of plainValues for an error.
var refused = value{err: "refused"}

// plainValues returns the values of JSON with events.
func plainValues(text []byte) (all []value) {
	var v value
	parse := func(text []byte) []value {
		if e, err := ParseEvent(text); err == nil {
			v.event = e
			return []value{v}
		}
		return []value{refused}
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil || list == nil {
		return parse(text)
	}
	if len(list) == 0 {
		return []value{refused}
	}
	if list[0][0] != '"' {
		for _, element := range list {
			all = append(all, plainValues(element)...)
		}
		return all
	}
	json.Unmarshal(list[0], &v.kind)
	list = list[1:]
	if v.kind == "EVENT" && len(list) > 0 && list[0][0] == '"' {
		json.Unmarshal(list[0], &v.subscription)
		list = list[1:]
	}
	var tree any
	json.Unmarshal(text, &tree)
	switch isAuth := v.kind == "AUTH" && len(list) > 0 && list[0][0] == '{'; {
	case (isAuth || v.kind == "EVENT") && len(list) == 1:
		return parse(list[0])
	case isAuth || v.kind == "EVENT" || hasSig(tree):
		return []value{refused}
	}
	return []value{v}
}

// hasSig reports whether an object in a JSON value has the name "sig" in any case of letters.
func hasSig(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasSig)
	case map[string]any:
		for name, v := range v {
			if strings.EqualFold(name, "sig") || hasSig(v) {
				return true
			}
		}
	}
	return false
}
