package group

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

var tag = []byte("koblitz-test-V01-CS01")

// hashers lists the functions of this package that hash one message. Each sets a new value.
var hashers = map[string]func(msg, dst []byte) ([]byte, error){
	"HashToScalar": func(msg, dst []byte) ([]byte, error) {
		s, err := new(Scalar).SetUint64(7).HashToScalar(msg, dst)
		if err != nil {
			return nil, err
		}
		return s.Bytes(), nil
	},
	"HashToCurve": func(msg, dst []byte) ([]byte, error) {
		p, err := new(Point).HashToCurve(msg, dst)
		if err != nil {
			return nil, err
		}
		return p.Bytes(), nil
	},
	"EncodeToCurve": func(msg, dst []byte) ([]byte, error) {
		p, err := new(Point).EncodeToCurve(msg, dst)
		if err != nil {
			return nil, err
		}
		return p.Bytes(), nil
	},
	"BatchHashToCurve": func(msg, dst []byte) ([]byte, error) {
		points := make([]Point, 1)
		if err := BatchHashToCurve(points, [][]byte{msg}, dst); err != nil {
			return nil, err
		}
		return points[0].Bytes(), nil
	},
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
			got, err := hash(in[0], in[1])
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			what := fmt.Sprintf("message %q and tag %q", in[0], in[1])
			if before, ok := seen[string(got)]; ok {
				t.Errorf("%s: %s has the hash of %s", name, what, before)
			}
			seen[string(got)] = what
		}
	}
}

// TestBatchHashToCurve compares hashes of many messages with single ones.
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
			want, err := new(Point).HashToCurve(msgs[i], tag)
			if err != nil {
				t.Fatal(err)
			}
			if !points[i].Equal(want) || !bytes.Equal(points[i].Bytes(), want.Bytes()) {
				t.Fatalf("%d messages: point %d is wrong", n, i)
			}
		}
	}
}

// TestHashRefused checks that an error leaves the receiver unchanged.
func TestHashRefused(t *testing.T) {
	s, p := new(Scalar).SetUint64(5), new(Point).SetGenerator()
	if _, err := s.HashToScalar(nil, nil); err == nil || !s.Equal(new(Scalar).SetUint64(5)) {
		t.Error("HashToScalar changes the scalar in spite of an error")
	}
	g := new(Point).SetGenerator()
	if _, err := p.HashToCurve(nil, nil); err == nil || !p.Equal(g) {
		t.Error("HashToCurve changes the point in spite of an error")
	}
	if _, err := p.EncodeToCurve(nil, nil); err == nil || !p.Equal(g) {
		t.Error("EncodeToCurve changes the point in spite of an error")
	}
	points := []Point{*g, *g}
	for _, msgs := range [][][]byte{nil, {nil}, {nil, nil, nil}} {
		if err := BatchHashToCurve(points, msgs, tag); err == nil {
			t.Errorf("%d points for %d messages are accepted", len(points), len(msgs))
		}
	}
	if err := BatchHashToCurve(points, make([][]byte, 2), nil); err == nil || !points[1].Equal(g) {
		t.Error("BatchHashToCurve changes the points in spite of an error")
	}
}

func BenchmarkHashToCurve(b *testing.B) {
	b.ReportAllocs()
	msg := make([]byte, 32)
	for i := range b.N {
		msg[0] = byte(i)
		if _, err := new(Point).HashToCurve(msg, tag); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBatchHashToCurve(b *testing.B) {
	b.ReportAllocs()
	const n = 1024
	points, msgs := make([]Point, n), make([][]byte, n)
	for i := range msgs {
		msgs[i] = fmt.Appendf(nil, "%032d", i)
	}
	for range b.N {
		if err := BatchHashToCurve(points, msgs, tag); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/message")
}
