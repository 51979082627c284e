package koblitz_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/koblitz-go/koblitz"
)

// traces returns forms in which a secret could be printed, whole or in part.
func traces(secret []byte) []string {
	little := slices.Clone(secret)
	slices.Reverse(little)
	var out []string
	for _, b := range [][]byte{secret, little} {
		out = append(out, new(big.Int).SetBytes(b).String(), new(big.Int).SetBytes(b).Text(8),
			strings.TrimLeft(new(big.Int).SetBytes(b).Text(2), "0"))
		for i := 0; i+6 <= len(b); i++ {
			part := b[i : i+6]
			out = append(out, hex.EncodeToString(part), fmt.Sprintf("% x", part),
				strings.Trim(fmt.Sprint(part), "[]"), strings.Trim(fmt.Sprintf("%#v", part), "[]byte{}"),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(part), "[]"), " ", ","),
				strings.ReplaceAll(strings.Trim(fmt.Sprint(part), "[]"), " ", ", "),
				string(part))
		}
		for i := 0; i+6 <= len(b); i += 3 { // base64 is cut in threes
			out = append(out, base64.RawStdEncoding.EncodeToString(b[i:i+6]), base64.RawURLEncoding.EncodeToString(b[i:i+6]))
		}
		for i := 0; i < 32; i += 8 {
			for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
				limb := order.Uint64(b[i:])
				out = append(out, fmt.Sprint(limb), fmt.Sprint(int64(limb)), fmt.Sprintf("%x", limb), fmt.Sprintf("%b", limb),
					fmt.Sprintf("%o", limb), fmt.Sprint(uint32(limb)), fmt.Sprint(uint32(limb>>32)))
			}
		}
	}
	return out
}

type unexported struct {
	key  koblitz.PrivateKey
	ptr  *koblitz.PrivateKey
	any  any
	list []koblitz.PrivateKey
	ptrs map[string]*koblitz.PrivateKey
	vals map[string]koblitz.PrivateKey
}

type exported struct {
	Key  koblitz.PrivateKey
	Ptr  *koblitz.PrivateKey
	Any  any
	List []koblitz.PrivateKey
	Ptrs map[string]*koblitz.PrivateKey
	Vals map[string]koblitz.PrivateKey
}

type embedded struct{ koblitz.PrivateKey }

// Nothing of a private key is shown by any printer of the standard library, in
// whatever it is wrapped.
func TestPrivateKeyShowsNothing(t *testing.T) {
	secret := unhex(t, "9fa3c5e7d1b2f4869788a9bacbdcedfe8f7e6d5c4b3a29180706f5e4d3c2b1a9")
	k := mustPrivate(t, secret)
	forms := traces(secret)
	check := func(where, out string) {
		t.Helper()
		lower := strings.ToLower(out)
		for _, form := range forms {
			if strings.Contains(out, form) || strings.Contains(lower, strings.ToLower(form)) {
				t.Fatalf("%s shows %q: %s", where, form, out)
			}
		}
	}
	// The search itself finds what it should.
	for _, f := range []string{"%x", "%X", "%d", "%v", "%s", "%#v", "%q"} {
		found := false
		out := fmt.Sprintf(f, secret)
		for _, form := range forms {
			found = found || strings.Contains(out, form) || strings.Contains(strings.ToLower(out), form)
		}
		if !found && f != "%q" {
			t.Fatalf("the search misses %s", out)
		}
	}

	maps, vals := map[string]*koblitz.PrivateKey{"k": k}, map[string]koblitz.PrivateKey{"k": *k}
	hidden := unexported{*k, k, k, []koblitz.PrivateKey{*k}, maps, vals}
	shown := exported{*k, k, *k, []koblitz.PrivateKey{*k}, maps, vals}
	kk := &k
	sprintf, errorf := fmt.Sprintf, fmt.Errorf // out of sight of vet, for calls that are wrong on purpose
	subjects := map[string]any{
		"a pointer": k, "a value": *k, "a pointer to a pointer": kk,
		"unexported fields": hidden, "a pointer to unexported fields": &hidden,
		"exported fields": shown, "a pointer to exported fields": &shown,
		"an embedded key": embedded{*k}, "a pointer to an embedded key": &embedded{*k},
		"a slice": []koblitz.PrivateKey{*k}, "a slice of pointers": []*koblitz.PrivateKey{k},
		"an array": [1]koblitz.PrivateKey{*k}, "a map": vals, "a map of pointers": maps,
		"a slice of any": []any{k, *k, hidden}, "nested": map[string]any{"a": []any{&shown, &hidden}},
		"a blinded key": k.Blinded(), "a reflect.Value": reflect.ValueOf(k), "a reflect.Value of the struct": reflect.ValueOf(*k),
		"its field":                    reflect.ValueOf(*k).Field(0),
		"a hidden field by reflection": reflect.ValueOf(hidden).Field(0), "a hidden pointer by reflection": reflect.ValueOf(hidden).Field(1),
		"a function": k.Bytes, "a channel": make(chan *koblitz.PrivateKey),
	}
	for name, subject := range subjects {
		for verb := 'A'; verb <= 'z'; verb++ {
			for _, flags := range []string{"", "+", "#", "-", " ", "0", "+#", "# ", "90", ".90", "-90.3"} {
				format := "%" + flags + string(verb)
				check(name+" with "+format, fmt.Sprintf(format, subject))
			}
		}
		check(name+" with Sprint", fmt.Sprint(subject)+fmt.Sprintln(subject))
		check(name+" as a width", sprintf("%*d|%.*d|%[1]*d", subject, 1, subject, 1))
		check(name+" as an extra operand", sprintf(strings.Clone("x"), subject))
		check(name+" in an error", fmt.Errorf("%w %v", errors.New("x"), subject).Error())
		check(name+" wrapped as an error", errorf("%w", subject).Error())

		var buf bytes.Buffer
		log.New(&buf, "", 0).Println(subject)
		for _, h := range []slog.Handler{slog.NewTextHandler(&buf, nil), slog.NewJSONHandler(&buf, nil)} {
			l := slog.New(h)
			l.Info("x", "key", subject)
			l.With("key", subject).WithGroup("g").Info("x", slog.Group("h", slog.Any("key", subject)))
			l.Info("x", subject)
		}
		if b, err := json.Marshal(subject); err == nil {
			buf.Write(b)
		} else {
			fmt.Fprint(&buf, err)
		}
		if err := json.NewEncoder(&buf).Encode(subject); err != nil {
			fmt.Fprint(&buf, err)
		}
		if b, err := xml.Marshal(subject); err == nil {
			buf.Write(b)
		} else {
			fmt.Fprint(&buf, err)
		}
		if err := gob.NewEncoder(&buf).Encode(subject); err != nil {
			fmt.Fprint(&buf, err)
		}
		if _, ok := subject.(reflect.Value); ok { // which templates turn down with a panic
		} else if err := template.Must(template.New("").Parse("{{.}} {{printf `%#v` .}}")).Execute(&buf, subject); err != nil {
			fmt.Fprint(&buf, err)
		}
		check(name+" in an encoding", buf.String())
	}
	check("String and GoString", k.String()+k.GoString()+k.LogValue().String())
	if got := fmt.Sprintf("%v|%+v|%#v|%s|%x|%d|%q", k, *k, k, *k, k, k, k); strings.Count(got, "koblitz.PrivateKey(redacted)") != 7 {
		t.Errorf("a key prints as %s", got)
	}
	if got := fmt.Sprintf("%T", *k); got != "koblitz.PrivateKey" {
		t.Errorf("%%T prints %s", got)
	}
	_, err := koblitz.NewPrivateKey(append([]byte{0}, secret...))
	check("an error of the parser", err.Error())
	over := bytes.Repeat([]byte{0xff}, 32)
	copy(over[20:], secret)
	_, err = koblitz.NewPrivateKey(over)
	check("an error of the parser", err.Error())
	_, err = k.TweakAdd(over)
	check("an error of a tweak", err.Error())
	_, err = k.TweakAdd(k.Negate().Bytes())
	check("an error of a tweak", err.Error())

	// And no type of the package has a way to encode one.
	for _, typ := range []reflect.Type{reflect.TypeFor[koblitz.PrivateKey](), reflect.TypeFor[*koblitz.PrivateKey]()} {
		for _, method := range []string{"MarshalText", "MarshalJSON", "MarshalBinary", "AppendText", "AppendBinary", "GobEncode"} {
			if _, ok := typ.MethodByName(method); ok {
				t.Errorf("%v has %s", typ, method)
			}
		}
	}
}

func TestKeysAreNotComparable(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[koblitz.PrivateKey](), reflect.TypeFor[koblitz.PublicKey](), reflect.TypeFor[koblitz.XOnlyPublicKey](),
		reflect.TypeFor[koblitz.PreparedKey](),
	} {
		if typ.Comparable() {
			t.Errorf("%v compares with ==", typ)
		}
	}
}
