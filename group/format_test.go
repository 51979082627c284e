package group

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// This file does not test that printers hide scalars and the denominators of points: tests in the
// root package check that for all types at once.

func TestPointPrints(t *testing.T) {
	const g = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
	var identity Point
	p := new(Point).SetGenerator()
	doubled := new(Point).Double(p)
	halved := new(Point).Sub(doubled, p) // the generator, with a denominator
	for _, p := range []any{p, *p, halved, *halved} {
		for format, want := range map[string]string{
			"%v": g, "%+v": g, "%s": g, "%x": g, "%X": strings.ToUpper(g), "%q": `"` + g + `"`,
			"%#v": "group.Point(" + g + ")", "%#x": "0x" + g, "%.3x": g[:6], "% .3x": "02 79 be",
			"%70v": "    " + g, "%-70v|": g + "    |", "%.4s": g[:4],
			"%d": "%!d(group.Point=" + g + ")", "%t": "%!t(group.Point=" + g + ")",
		} {
			if got := fmt.Sprintf(format, p); got != want {
				t.Errorf("%s of a %T is %s, want %s", format, p, got, want)
			}
		}
	}
	if got := fmt.Sprint(identity); got != strings.Repeat("00", PointSize) {
		t.Errorf("the identity prints as %s", got)
	}
	var none *Point
	if got := fmt.Sprint(none); got != "<nil>" {
		t.Errorf("a nil pointer prints as %s", got)
	}
	if got := p.LogValue(); got.Kind() != slog.KindString || got.String() != g {
		t.Errorf("a point logs as %v", got)
	}
}

func encodeGob(v any) ([]byte, error) {
	var buf bytes.Buffer
	err := gob.NewEncoder(&buf).Encode(v)
	return buf.Bytes(), err
}

func decodeGob(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }

// TestPointMarshals checks that every encoder of the standard library encodes points that the
// decoder reads back.
func TestPointMarshals(t *testing.T) {
	type record struct {
		XMLName   struct{} `xml:"record" json:"-"`
		Attribute Point    `xml:"attribute,attr"`
		Element   Point
		Pointer   *Point
		List      []Point
	}
	ps, want := points()
	for i, p := range ps {
		text := reference.Must(p.MarshalText())
		if binary := reference.Must(p.MarshalBinary()); !bytes.Equal(binary, encode(want[i])) ||
			string(text) != hex.EncodeToString(binary) {
			t.Errorf("binary %x, text %s", binary, text)
		}
		var upper Point
		if err := upper.UnmarshalText(bytes.ToUpper(text)); err != nil {
			t.Error(err)
		}
		wantPoint(t, "from text", &upper, want[i])
		in := record{Attribute: *p, Element: *p, Pointer: p, List: []Point{*p, *p}}
		for name, codec := range map[string]struct {
			encode func(any) ([]byte, error)
			decode func([]byte, any) error
		}{
			"JSON": {json.Marshal, json.Unmarshal}, "XML": {xml.Marshal, xml.Unmarshal},
			"gob": {encodeGob, decodeGob},
		} {
			var out record
			if err := codec.decode(reference.Must(codec.encode(in)), &out); err != nil ||
				len(out.List) != 2 || out.Pointer == nil {
				t.Errorf("%s: %v comes back, %v", name, out, err)
				continue
			}
			for _, got := range []*Point{
				&out.Attribute, &out.Element, out.Pointer, &out.List[0], &out.List[1],
			} {
				wantPoint(t, name, got, want[i])
			}
		}
	}
}
