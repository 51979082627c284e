package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// derInteger returns the DER encoding of x, computed from two's complement.
func derInteger(x *big.Int) []byte {
	b := append([]byte{0}, x.Bytes()...)
	if len(b) > 1 && b[1] < 0x80 {
		b = b[1:]
	}
	return append([]byte{2, byte(len(b))}, b...)
}

func der(r, s *big.Int) []byte {
	b := slices.Concat(derInteger(r), derInteger(s))
	return append([]byte{0x30, byte(len(b))}, b...)
}

// parseReference computes the expected result of ParseDERSignature. It makes its checks in the
// order of the kinds of errors in error.go, and reads bytes at fixed offsets as far as they exist.
func parseReference(b []byte) (r, s *big.Int, err error) {
	if len(b) < 8 {
		return nil, nil, ecdsa.ErrSigTooShort
	}
	if len(b) > 72 {
		return nil, nil, ecdsa.ErrSigTooLong
	}
	if b[0] != 0x30 {
		return nil, nil, ecdsa.ErrSigInvalidSeqID
	}
	if int(b[1])+2 != len(b) {
		return nil, nil, ecdsa.ErrSigInvalidDataLen
	}
	sTag := 4 + int(b[3])
	sLen := sTag + 1
	if sTag >= len(b) {
		return nil, nil, ecdsa.ErrSigMissingSTypeID
	}
	if sLen >= len(b) {
		return nil, nil, ecdsa.ErrSigMissingSLen
	}
	if sLen+1+int(b[sLen]) != len(b) {
		return nil, nil, ecdsa.ErrSigInvalidSLen
	}
	number := func(tag, at, end int, kinds ...ecdsa.ErrorKind) error {
		switch {
		case b[tag] != 2:
			return kinds[0]
		case at == end:
			return kinds[1]
		case b[at]&0x80 != 0:
			return kinds[2]
		case end-at > 1 && b[at] == 0 && b[at+1]&0x80 == 0:
			return kinds[3]
		}
		return nil
	}
	if err := number(2, 4, sTag, ecdsa.ErrSigInvalidRIntID, ecdsa.ErrSigZeroRLen,
		ecdsa.ErrSigNegativeR, ecdsa.ErrSigTooMuchRPadding); err != nil {
		return nil, nil, err
	}
	if err := number(sTag, sLen+1, len(b), ecdsa.ErrSigInvalidSIntID, ecdsa.ErrSigZeroSLen,
		ecdsa.ErrSigNegativeS, ecdsa.ErrSigTooMuchSPadding); err != nil {
		return nil, nil, err
	}
	r, s = new(big.Int).SetBytes(b[4:sTag]), new(big.Int).SetBytes(b[sLen+1:])
	switch {
	case r.Cmp(n) >= 0:
		return nil, nil, ecdsa.ErrSigRTooBig
	case r.Sign() == 0:
		return nil, nil, ecdsa.ErrSigRIsZero
	case s.Cmp(n) >= 0:
		return nil, nil, ecdsa.ErrSigSTooBig
	case s.Sign() == 0:
		return nil, nil, ecdsa.ErrSigSIsZero
	}
	return r, s, nil
}

// checkParse parses b, compares the result with that of parseReference, and returns the kind of the
// error, or nil if there is no error.
func checkParse(t *testing.T, b []byte) error {
	t.Helper()
	before := bytes.Clone(b)
	sig, err := ecdsa.ParseDERSignature(b)
	r, s, want := parseReference(b)
	if got := kind(t, err); got != want {
		t.Fatalf("ParseDERSignature(%x): %v, want %v", b, err, want)
	}
	if !bytes.Equal(b, before) {
		t.Fatalf("ParseDERSignature changes %x", before)
	}
	if want != nil {
		if sig != nil {
			t.Fatalf("ParseDERSignature(%x) returns a signature and %v", b, err)
		}
		return want
	}
	if *sig != *signature(r, s) {
		t.Fatalf("ParseDERSignature(%x) = %x", b, sig.Serialize())
	}
	// A signature with a low s must be encoded as the bytes from which it was parsed.
	if new(big.Int).Lsh(s, 1).Cmp(n) < 0 && !bytes.Equal(sig.Serialize(), b) {
		t.Fatalf("%x comes back as %x", b, sig.Serialize())
	}
	return nil
}

// TestParseDER checks that the parser accepts and refuses the same encodings as the function
// parseReference, and returns the same numbers. The encodings are some signatures, all changes of
// one byte in them, all their prefixes, and insertions and deletions of a byte, with adjusted
// lengths and without.
func TestParseDER(t *testing.T) {
	count := map[error]int{}
	try := func(b []byte) { count[checkParse(t, b)]++ }
	short := big.NewInt(1)
	long := new(big.Int).Sub(n, short)
	middle := new(big.Int).Lsh(short, 200)
	for _, pair := range [][2]*big.Int{
		{short, short}, {long, long}, {middle, long}, {long, short}, {big.NewInt(127), big.NewInt(128)},
		{n, short}, {short, n}, {new(big.Int), short}, {short, new(big.Int)},
		{new(big.Int).Lsh(n, 8), short}, {short, new(big.Int).Lsh(short, 256)},
	} {
		valid := der(pair[0], pair[1])
		try(valid)
		for i := range valid {
			try(valid[:i])
			for x := range 256 {
				b := bytes.Clone(valid)
				b[i] = byte(x)
				try(b)
			}
			for _, x := range []byte{0, 1, 2, 0x30, 0x7f, 0x80, 0xff} {
				b := slices.Insert(bytes.Clone(valid), i, x)
				try(b)
				b[1]++
				try(b)
				if i > 3 { // inside r or s, so adjust the length of r or s
					at := 3
					if i >= 4+int(valid[3]) {
						at = 5 + int(valid[3])
					}
					if at < i {
						b[at]++
						try(b)
					}
				}
			}
			b := slices.Delete(bytes.Clone(valid), i, i+1)
			try(b)
			if len(b) > 1 {
				b[1]--
				try(b)
			}
		}
		try(append(bytes.Clone(valid), 0))
		for size := range 100 { // sequences of every length
			try(append([]byte{0x30, byte(size)}, make([]byte, size)...))
		}
		// Signatures with r or s of every length, including 0.
		for size := range 40 {
			for _, fill := range []byte{0, 1, 0x80} {
				x := bytes.Repeat([]byte{fill}, size)
				x = append([]byte{2, byte(size)}, x...)
				one := []byte{2, 2, 1, 1}
				for _, body := range [][]byte{
					append(bytes.Clone(x), one...), append(bytes.Clone(one), x...),
				} {
					try(append([]byte{0x30, byte(len(body))}, body...))
				}
			}
		}
	}
	for _, want := range []error{
		nil, ecdsa.ErrSigTooShort, ecdsa.ErrSigTooLong, ecdsa.ErrSigInvalidSeqID,
		ecdsa.ErrSigInvalidDataLen, ecdsa.ErrSigMissingSTypeID, ecdsa.ErrSigMissingSLen,
		ecdsa.ErrSigInvalidSLen, ecdsa.ErrSigInvalidRIntID, ecdsa.ErrSigZeroRLen,
		ecdsa.ErrSigNegativeR, ecdsa.ErrSigTooMuchRPadding, ecdsa.ErrSigRIsZero, ecdsa.ErrSigRTooBig,
		ecdsa.ErrSigInvalidSIntID, ecdsa.ErrSigZeroSLen, ecdsa.ErrSigNegativeS,
		ecdsa.ErrSigTooMuchSPadding, ecdsa.ErrSigSIsZero, ecdsa.ErrSigSTooBig,
	} {
		if count[want] < 3 {
			t.Errorf("%v came up %d times", want, count[want])
		}
	}
}

func FuzzParseDERSignature(f *testing.F) {
	long := new(big.Int).Sub(n, big.NewInt(1))
	for _, b := range [][]byte{
		nil, der(big.NewInt(1), big.NewInt(1)), der(long, long), der(n, long), der(long, n),
		der(new(big.Int), long), der(long, new(big.Int)),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkParse(t, b) })
}

func TestSerialize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x, y := inOrder(r), inOrder(r)
		sig := signature(x, y)
		low, _ := reference.LowS(y, 0)
		b := sig.Serialize()
		if !bytes.Equal(b, der(x, low)) {
			t.Fatalf("(%x, %x) is encoded as %x", x, y, b)
		}
		if integer(sig.S()).Cmp(y) != 0 || integer(sig.R()).Cmp(x) != 0 {
			t.Fatalf("(%x, %x): R and S are %v and %v", x, y, sig.R(), sig.S())
		}
		if back, err := ecdsa.ParseDERSignature(b); err != nil || !back.IsEqual(signature(x, low)) {
			t.Fatalf("%x is parsed as %v, %v", b, back, err)
		}
		if sig.IsEqual(signature(x, low)) != (y.Cmp(low) == 0) || !sig.IsEqual(signature(x, y)) ||
			sig.IsEqual(signature(y, y)) != (x.Cmp(y) == 0) {
			t.Fatalf("(%x, %x): IsEqual is wrong", x, y)
		}
	}
	if b := new(ecdsa.Signature).Serialize(); !bytes.Equal(b, []byte{0x30, 6, 2, 1, 0, 2, 1, 0}) {
		t.Errorf("the zero value is encoded as %x", b)
	}
}
