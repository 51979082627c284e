package group

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

var tag = []byte("koblitz-test-V01-CS01")

// hashers lists the functions of this package that hash one message. Each sets a new value and
// returns its encoding.
var hashers = map[string]func(msg, dst []byte) ([]byte, error){
	"HashToScalar":  hasher(new(Scalar).SetUint64(7).HashToScalar),
	"HashToCurve":   hasher(new(Point).SetGenerator().HashToCurve),
	"EncodeToCurve": hasher(new(Point).SetGenerator().EncodeToCurve),
	"BatchHashToCurve": hasher(func(msg, dst []byte) (*Point, error) {
		points := make([]Point, 1)
		err := BatchHashToCurve(points, [][]byte{msg}, dst)
		return &points[0], err
	}),
}

func hasher[T interface{ Bytes() []byte }](
	hash func(msg, dst []byte) (T, error),
) func(msg, dst []byte) ([]byte, error) {
	return func(msg, dst []byte) ([]byte, error) {
		v, err := hash(msg, dst)
		if err != nil {
			return nil, err
		}
		return v.Bytes(), nil
	}
}

// TestHashTags checks that an empty tag is an error, and that other tags, and the place where the
// tag ends and the message begins, change the hash.
func TestHashTags(t *testing.T) {
	long := bytes.Repeat([]byte("t"), 300)
	for name, hash := range hashers {
		for _, none := range [][]byte{nil, {}} {
			if _, err := hash([]byte("message"), none); err == nil ||
				!strings.Contains(err.Error(), "empty domain separation tag") {
				t.Errorf("%s without a tag: %v", name, err)
			}
		}
		seen := map[string]string{}
		for _, in := range [][2][]byte{
			{nil, tag}, {[]byte{0}, tag}, {[]byte("message"), tag}, {[]byte("message"), []byte("m")},
			{[]byte("messagem"), []byte("m")}, {[]byte("message"), []byte("mm")},
			{nil, long[:254]}, {nil, long[:255]}, {nil, long[:256]}, {nil, long},
		} {
			got := string(reference.Must(hash(in[0], in[1])))
			what := fmt.Sprintf("message %q and tag %q", in[0], in[1])
			if before, ok := seen[got]; ok {
				t.Errorf("%s: %s has the hash of %s", name, what, before)
			}
			seen[got] = what
		}
	}
}

// TestBatchHashToCurve checks that BatchHashToCurve computes the same point for each message
// as HashToCurve.
func TestBatchHashToCurve(t *testing.T) {
	for _, n := range []int{0, 1, 2, 9, 40, 300} {
		points, msgs := make([]Point, n), make([][]byte, n)
		for i := range msgs {
			msgs[i] = bytes.Repeat([]byte{byte(i)}, i)
		}
		if err := BatchHashToCurve(points, msgs, tag); err != nil {
			t.Fatal(err)
		}
		for i := range points {
			want := reference.Must(new(Point).HashToCurve(msgs[i], tag))
			if !points[i].Equal(want) || !bytes.Equal(points[i].Bytes(), want.Bytes()) {
				t.Fatalf("%d messages: point %d is wrong", n, i)
			}
		}
	}
}

// TestHashRefused checks that an error leaves the receiver unchanged.
func TestHashRefused(t *testing.T) {
	s, g := new(Scalar).SetUint64(5), new(Point).SetGenerator()
	p, points := new(Point).SetGenerator(), []Point{*g, *g}
	_, err := s.HashToScalar(nil, nil)
	_, err2 := p.HashToCurve(nil, nil)
	_, err3 := p.EncodeToCurve(nil, nil)
	errs := []error{err, err2, err3, BatchHashToCurve(points, make([][]byte, 2), nil)}
	for _, msgs := range [][][]byte{nil, {nil}, {nil, nil, nil}} {
		errs = append(errs, BatchHashToCurve(points, msgs, tag))
	}
	if i := slices.Index(errs, nil); i >= 0 {
		t.Errorf("call %d returns no error", i)
	}
	if !s.Equal(new(Scalar).SetUint64(5)) || !p.Equal(g) || !points[0].Equal(g) ||
		!points[1].Equal(g) {
		t.Error("a value changes in spite of an error")
	}
}
