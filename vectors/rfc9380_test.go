package vectors

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/hash"
)

// expandVectors is a file of vectors for expand_message_xmd (RFC 9380, appendix K).
type expandVectors struct {
	DST, Hash, Name string
	K               int
	Tests           []struct {
		DSTPrime     string `json:"DST_prime"`
		Length       string `json:"len_in_bytes"`
		Msg          string
		MsgPrime     string `json:"msg_prime"`
		UniformBytes string `json:"uniform_bytes"`
	}
}

func TestExpandMessageXMD(t *testing.T) {
	rows := 0
	for _, name := range []string{"rfc9380_expand.json.gz", "rfc9380_expand_long.json.gz"} {
		var v expandVectors
		loadJSON(t, name, &v)
		for _, test := range v.Tests {
			n, err := strconv.ParseUint(test.Length, 0, 16)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]byte, n)
			hash.ExpandXMD(out, []byte(test.Msg), []byte(v.DST))
			if got := hex.EncodeToString(out); got != test.UniformBytes {
				t.Errorf("%s, %q, %d bytes: %s, want %s", name, test.Msg, n, got, test.UniformBytes)
			}
			rows++
		}
	}
	count(t, "expand_message_xmd", rows, 20)
}

// curvePoint holds the coordinates of a point, in hexadecimal with the prefix 0x.
type curvePoint struct{ X, Y string }

// curveVectors is a file of vectors for hash_to_curve or encode_to_curve (RFC 9380, appendix J.8).
type curveVectors struct {
	L, Z, Ciphersuite, Curve, DST, Expand, Hash, K string
	Field                                          struct{ M, P string }
	Map                                            struct{ Name string }
	RandomOracle                                   bool
	Vectors                                        []struct {
		Msg          string
		U            []string
		P, Q, Q0, Q1 curvePoint
	}
}

// compressed returns the compressed encoding of p.
func (p curvePoint) compressed(t *testing.T) []byte {
	t.Helper()
	x, y := unhex(t, strings.TrimPrefix(p.X, "0x")), unhex(t, strings.TrimPrefix(p.Y, "0x"))
	return append([]byte{2 + y[31]&1}, x...)
}

func TestHashToCurve(t *testing.T) {
	rows := 0
	for name, suite := range map[string]struct {
		hash func(msg, dst []byte) (*group.Point, error)
		us   int
	}{
		"rfc9380_sswu_ro.json": {new(group.Point).HashToCurve, 2},
		"rfc9380_sswu_nu.json": {new(group.Point).EncodeToCurve, 1},
	} {
		var v curveVectors
		loadJSON(t, name, &v)
		many := make([]group.Point, len(v.Vectors))
		var msgs [][]byte
		for _, test := range v.Vectors {
			msgs = append(msgs, []byte(test.Msg))
		}
		if err := group.BatchHashToCurve(many, msgs, []byte(v.DST)); err != nil {
			t.Fatal(err)
		}
		for i, test := range v.Vectors {
			p, err := suite.hash([]byte(test.Msg), []byte(v.DST))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(p.Bytes(), test.P.compressed(t)) {
				t.Errorf("%s, %q: %x", v.Ciphersuite, test.Msg, p.Bytes())
			}
			if v.RandomOracle && !many[i].Equal(p) {
				t.Errorf("%s, %q: %x in a batch", v.Ciphersuite, test.Msg, many[i].Bytes())
			}
			checkNumbers(t, test.Msg, v.DST, v.Field.P, test.U, suite.us)
			rows++
		}
	}
	count(t, "hash to curve", rows, 10)
}

// checkNumbers checks that the field elements of a vector are those that expand_message_xmd gives.
func checkNumbers(t *testing.T, msg, dst, p string, want []string, n int) {
	t.Helper()
	if len(want) != n {
		t.Fatalf("%d field elements, want %d", len(want), n)
	}
	prime, ok := new(big.Int).SetString(p, 0)
	if !ok {
		t.Fatalf("p is %q", p)
	}
	b := make([]byte, 48*n)
	hash.ExpandXMD(b, []byte(msg), []byte(dst))
	for i := range want {
		u := new(big.Int).SetBytes(b[48*i:][:48])
		w, ok := new(big.Int).SetString(want[i], 0)
		if !ok || u.Mod(u, prime).Cmp(w) != 0 {
			t.Errorf("u[%d] of %q is %x, want %s", i, msg, u, want[i])
		}
	}
}
