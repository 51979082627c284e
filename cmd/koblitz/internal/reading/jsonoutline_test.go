package reading

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// outlined returns the objects that Outline yields, as text.
func outlined(text string) (all []string) {
	for o := range Outline([]byte(text), "result", "data") {
		one := ""
		for _, f := range o.Fields {
			one += fmt.Sprintf("%s=%.3s ", f.Name, f.Text)
		}
		if o.Cut {
			one += "…"
		}
		all = append(all, strings.TrimSpace(one))
	}
	return all
}

func TestOutline(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \r\n\t", nil},
		{`{}`, []string{""}},
		{`{"a":1,"b":[{"c":2}]}`, []string{"a=1,\" b=[{\""}},
		{"{\"a\" : 1}\n\n [{\"b\":2} , [{\"c\":3}]]{\"d\":4}", []string{"a=1}", "b=2}", "c=3}]", "d=4}"}},
		{`{"id":1,"result":{"a":1}}`, []string{"a=1}}", `id=1,"` + ` result={"a`}},
		{`{"result":[{"data":{"a":1}},{"b":2}]}`, []string{"a=1}}", `data={"a`, "b=2}]", `result=[{"`}},
		{`[{"result":"0x"},{"result":null},{"result":[1]}]`, []string{`="0x`, `result="0x`, "=nul",
			"result=nul", "result=[1]"}},
		{`["a",{"b":1}]`, []string{`=["a`, "b=1}]"}},
		{`"a" 1 {"b":2}`, []string{`="a"`, "=1 {", "b=2}"}},
		{`[1,2,true,{"a":1}]`, []string{"a=1}]"}},
		{"noise\n{\"a\":tru\n{\"b\":1}\n,\n[{\"c\":2}", []string{"a=tru …", "b=1}", "c=2}"}},
		{`{"a":"b`, []string{`a="b …`}},
		{`{"result":"b`, []string{`="b`, `result="b …`}},
		{`{"result":{"a":1,"b"`, []string{"a=1,\" b= …", `result={"a …`}},
		{"{\"a\":1\"\xff\":2}", []string{"a=1\"\xff …"}},
		{"{\"a\":\"\xff\",\"a\":2}", []string{"a=\"\xff\" a=2}"}},
		{strings.Repeat("[", 200) + "\n" + `{"a":1}`, []string{"a=1}"}},
	} {
		if got := outlined(test.text); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q:\n%q, want\n%q", test.text, got, test.want)
		}
		for i := range test.text { // the loop may end after any object, the text after any byte
			outlined(test.text[:i])
		}
		for range Outline([]byte(test.text), "result", "data") {
			break
		}
	}
}
