package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A leak is a branch on a secret that is put into a copy of the library's own code.
// The subject is built and run once more with all of them, and each must be reported
// where it stands: that shows that the code around it runs under memcheck, and that
// what it works on there is marked as secret.
type leak struct {
	pkg      string // the package's path below the module's
	function string // F, or T.M for a method of T or *T
	after    string // the text of the body after which the branch stands, or "" for its begin
	when     string // the branch's condition
	assembly bool   // the text is there only in builds with assembly
}

func (l *leak) String() string {
	return strings.TrimPrefix(l.pkg+".", ".") + l.function + ": if " + l.when
}

// leaks are by package. The first four were not found once: beside a table read that
// valgrind cannot run, in a function that does not speak of private keys, and for
// messages of 32 bytes alone. In the packages of compat/impl there is a leak for each
// secret that a function takes or computes, from its arguments to the last value before
// the result is public. The others were drawn by lot from the functions of each package,
// before it was known what the check sees of them.
var leaks = []leak{
	{"internal/ecmult", "readPacked", "case cpu.Has(cpu.AVX512F):", "index == 0", true},
	{"group", "Point.PublicKey", "", "p.value().X.IsOdd().Bool()", false},
	{"ecdsa", "Signature.sign", "", "len(h) == 32 && !key.IsZero() && key.Bytes()[31]&1 == 1", false},
	{"schnorr", "sign", "", "len(msg) == 32 && !key.IsZero() && key.Bytes()[31]&1 == 1", false},

	{"", "PublicKey.TweakAdd", "", "len(tweak) == 32 && tweak[31]&1 == 1", false},
	{"", "PrivateKey.loadWithTweak", "", "len(tweak) == 32 && tweak[0] > 7", false},
	{"", "PrivateKey.PublicKey", "", "!k.IsZero() && k.Bytes()[5]&1 == 1", false},
	{"", "newPrivateKey", "", "d.IsHigh().Bool()", false},

	{"ecdsa", "SignRecoverable", "", "!key.IsZero() && key.Bytes()[0]&1 == 1", false},
	{"ecdsa", "Signature.signInside", "", "len(entropy) > 32 && entropy[32] == 0", false},
	{"ecdsa", "Signature.signInside", "dsa.SetHash(&z, h)", "d.IsHigh().Bool()", false},

	{"schnorr", "Sign", "", "o != nil && len(o.Aux) == 32 && o.Aux[4]&1 == 1", false},
	{"schnorr", "AppendSign", "",
		"o != nil && len(msg) == 31 && len(o.Aux) == 32 && o.Aux[0] == 0", false},
	{"schnorr", "sign", "if err != nil || o.Unchecked {",
		"len(msg) == 0 && !key.IsZero() && key.Bytes()[31] == 0", false},

	{"ecdh", "result", "", "len(b) == 32 && b[0] == 0", false},
	{"ecdh", "SharedXOnly", "", "!key.IsZero() && key.Bytes()[31]&1 == 1", false},
	{"ecdh", "appendShared", "a.X.PutBytes((*[32]byte)(b[1:]))", "b[32]&1 == 1", false},
	{"ecdh", "shared", "a.SetJacobian(&r)", "a.Y.IsOdd().Bool()", false},

	{"group", "Scalar.SetUint64", "", "x&1 == 1", false},
	{"group", "Point.Sub", "", "b.value().Y.IsOdd().Bool()", false},
	{"group", "Point.Zeroize", "", "p.value().Z.IsOdd().Bool()", false},
	{"group", "Scalar.Set", "", "a.value().IsOdd().Bool()", false},
	{"group", "Scalar.Invert", "", "a.value().IsHigh().Bool()", false},

	{"compat/impl/secp256k1", "mult", "z := *p.Z.element()", "p.X.IsZero()", false},
	{"compat/impl/secp256k1", "mult", "", "k.IsOdd()", false},
	{"compat/impl/secp256k1", "mult",
		"ecmult.ScalarMult(&r, k.scalar(), &a)",
		"r.X.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "mult", "r.Z.Mul(&r.Z, &z)", "r.Z.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "stray", "k.PutBytes(&key)", "key[31]&1 == 1", false},
	{"compat/impl/secp256k1", "stray", "nonces.Next(&key)", "key[0] == 0", false},
	{"compat/impl/secp256k1", "stray",
		"s.Select(k.scalar().IsZero(), &zero, &s)",
		"s.IsHigh().Bool()", false},
	{"compat/impl/secp256k1", "stray",
		"ecmult.ScalarBaseMult(&r, &s)",
		"r.Y.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "baseMult", "", "k.IsOverHalfOrder()", false},
	{"compat/impl/secp256k1", "baseMult",
		"ecmult.ScalarBaseMult(&r, k.scalar())",
		"r.Z.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "ModNScalar.isOneByte",
		"s.scalar().PutBytes(&b)",
		"b[0] == 1", false},
	{"compat/impl/secp256k1", "GenerateSharedSecret",
		"var p JacobianPoint",
		"privkey.Key.IsOdd()", false},
	{"compat/impl/secp256k1", "GenerateSharedSecret",
		"mult(&privkey.Key, &p, &p)",
		"p.Z.IsOdd()", false},
	{"compat/impl/secp256k1", "GenerateSharedSecret", "p.divide()", "p.Y.IsOdd()", false},
	{"compat/impl/secp256k1", "GenerateSharedSecret", "p.X.PutBytes(out)", "out[31]&1 == 1", false},
	{"compat/impl/secp256k1", "JacobianPoint.divide",
		"inverse.Invert(p.Z.element())",
		"inverse.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "JacobianPoint.divide", "p.Z.SetInt(1)", "p.Y.IsOdd()", false},
	{"compat/impl/secp256k1", "JacobianPoint.put", "", "q.X.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "JacobianPoint.putTwice",
		"q.Z.Double(&q.Z)",
		"q.Z.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "ModNScalar.setLong", "", "len(k) == 64 && k[40] == 0", false},
	{"compat/impl/secp256k1", "ModNScalar.setNonce",
		"",
		"len(version) == 16 && version[0] == 0", false},
	{"compat/impl/secp256k1", "ModNScalar.setNonce", "pad(&key, privKey)", "key[31]&1 == 1", false},
	{"compat/impl/secp256k1", "ModNScalar.setNonce",
		"n = copy(more[:], extra)",
		"more[5]&1 == 1", false},
	{"compat/impl/secp256k1", "ModNScalar.setNonce", "nonces.Next(&key)", "key[31]&1 == 1", false},
	{"compat/impl/secp256k1", "ModNScalar.setNonce", "found = skip == 0", "k.IsOdd()", false},
	{"compat/impl/secp256k1", "NewPrivateKey", "", "key.IsOdd()", false},
	{"compat/impl/secp256k1", "PrivKeyFromBytes",
		"key.Key.SetByteSlice(privKeyBytes)",
		"key.Key.IsOdd()", false},
	{"compat/impl/secp256k1", "GeneratePrivateKeyFromRand",
		"if _, err = io.ReadFull(rand, b); err == nil {",
		"b[31]&1 == 1", false},
	{"compat/impl/secp256k1", "PrivateKey.PubKey",
		"var a point.Affine",
		"p.Key.IsOverHalfOrder()", false},
	{"compat/impl/secp256k1", "SignSchnorr", "sum.PutBytes(&d)", "d[31]&1 == 1", false},
	{"compat/impl/secp256k1", "SignSchnorr",
		"(*ModNScalar)(&k).setNonce(d[:], hash[:], extra[:], nil, skip)",
		"k.IsHigh().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr",
		"(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&R, &k)",
		"R.Y.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr",
		"k.CondNeg(&k, R.Y.IsOdd())",
		"k.IsHigh().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr",
		"ok = challenge(&e, r.Normalize())",
		"k.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr",
		"sum.Mul(e.scalar(), &sum)",
		"sum.IsHigh().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr", "k.Sub(&k, &sum)", "k.IsHigh().Bool()", false},
	{"compat/impl/secp256k1", "SignSchnorr", "*s = ModNScalar(k)", "sum.IsOdd().Bool()", false},
	{"compat/impl/secp256k1", "FieldVal.Inverse", "", "f.IsZero()", false},
	{"compat/impl/secp256k1", "digit", "", "d > 9", false},

	{"compat/impl/ecdsa", "Signature.sign", "", "len(digest) == 33 && key.Key.IsOdd()", false},
	{"compat/impl/ecdsa", "SignCompact", "", "isCompressedKey && key.Key.IsOverHalfOrder()", false},
	{"compat/impl/ecdsa", "Signature.signInside",
		"dsa.SetHash(&z, digest)",
		"d.IsOdd().Bool()", false},
	{"compat/impl/ecdsa", "Signature.signInside",
		"id = dsa.Sign(r, s, nil, &d, &z, &message, nil)",
		"d.IsHigh().Bool()", false},

	{"compat/impl/btcec", "PrivKeyFromBytes", "", "len(pk) == 32 && pk[31]&1 == 1", false},
	{"compat/impl/btcec", "PrivKeyFromBytes",
		"key := secp256k1.PrivKeyFromBytes(pk)",
		"key.Key.IsOverHalfOrder()", false},

	{"compat/impl/btcec/schnorr", "Signature.sign",
		"",
		"auxiliary != nil && auxiliary[0]&1 == 0", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"d.Set((*scalar.Scalar)(&privKey.Key))",
		"d.IsOdd().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"(*ecmult.Blinding)(nil).ScalarBaseMultAffine(P, &d)",
		"P.Y.IsOdd().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"d.CondNeg(&d, odd)",
		"d.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"d.PutBytes(&candidate)",
		"candidate[31]&1 == 1", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"mask(&candidate, auxiliary)",
		"candidate[31]&1 == 1", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"hash.Nonce(&candidate, &candidate, &px, message[:])",
		"candidate[31]&1 == 1", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"k.SetBytes(&candidate)",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"firstNonce(&k, &candidate, message, skip)",
		"k.IsOdd().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.sign",
		"ct.Wipe(candidate[:])",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith", "", "k.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith",
		"(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&R, k)",
		"R.Y.IsOdd().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith",
		"k.CondNeg(k, R.Y.IsOdd())",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith",
		"R.X.Declassify() // r",
		"R.Y.IsOdd().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith", "s.Mul(&e, d)", "s.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith", "s.Add(&s, k)", "s.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "Signature.signWith",
		"s.Declassify() // is returned",
		"d.IsHigh().Bool() && k.IsHigh().Bool()", false},
	{"compat/impl/btcec/schnorr", "firstNonce", "", "key[0] == 0", false},
	{"compat/impl/btcec/schnorr", "firstNonce", "nonces.Next(key)", "key[31]&1 == 1", false},
	{"compat/impl/btcec/schnorr", "mask", "hash.Aux(&a, auxiliary)", "a[31]&1 == 1", false},

	{"compat/impl/btcec/ellswift", "EllswiftCreate", "rand.Read(b[:])", "b[31]&1 == 1", false},
	{"compat/impl/btcec/ellswift", "EllswiftCreate",
		"key := secp256k1.PrivKeyFromBytes(b[:])",
		"key.Key.IsOdd()", false},
	{"compat/impl/btcec/ellswift", "EllswiftECDHXOnly",
		"r.parse(&ellswiftTheirs)",
		"privKey.Key.IsOverHalfOrder()", false},
	{"compat/impl/btcec/ellswift", "V2Ecdh", "r.mult(&shared, priv)", "shared[31]&1 == 1", false},
	{"compat/impl/btcec/ellswift", "V2Ecdh",
		"hash.Ellswift(&shared, first, second, &shared)",
		"shared[31]&1 == 1", false},
	{"compat/impl/btcec/ellswift", "ratio.mult", "", "key.Key.IsOdd()", false},
	{"compat/impl/btcec/ellswift", "ratio.mult",
		"ecmult.ScalarMult(&p, (*scalar.Scalar)(&key.Key), &a)",
		"p.X.IsOdd().Bool()", false},
	{"compat/impl/btcec/ellswift", "ratio.mult", "p.Z.Mul(&p.Z, &e)", "p.Z.IsOdd().Bool()", false},
	{"compat/impl/btcec/ellswift", "ratio.mult", "p.Z.Invert(&p.Z)", "p.Z.IsOdd().Bool()", false},
	{"compat/impl/btcec/ellswift", "ratio.mult",
		"p.X.Mul(&p.X, &p.Z)",
		"p.X.IsOdd().Bool()", false},
	{"compat/impl/btcec/ellswift", "ratio.mult", "p.X.PutBytes(out)", "out[0] == 0", false},

	{"compat/impl/btcec/musig2", "GenNonces",
		"if _, err = o.randReader.Read(b); err == nil {",
		"b[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Nonces.make",
		"",
		"o.secretKey == nil && random[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Nonces.make",
		"number(o.secretKey).PutBytes(&k)",
		"k[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Nonces.make", "seed[i] ^= k[i]", "seed[i]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Nonces.make",
		"o.hash(&k, &seed, byte(i))",
		"k[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Nonces.make", "s.SetBytes(&k)", "s.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "Nonces.make",
		"s.PutBytes((*[32]byte)(n.SecNonce[i*len(k):]))",
		"n.SecNonce[32*i]&1 == 1", false},
	{"compat/impl/btcec/musig2", "putMultiple", "var r point.Affine", "k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "nonceGenOpts.hash", "", "i == 1 && seed[0] == 0", false},
	{"compat/impl/btcec/musig2", "nonceGenOpts.hash", "h.Sum(out[:0])", "out[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Sign", "", "secNonce[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "sign",
		"signer := privKey.PubKey()",
		"privKey.Key.IsOdd()", false},
	{"compat/impl/btcec/musig2", "sign",
		"c := v.factor(all, &encoding)",
		"secNonce[63]&1 == 1", false},
	{"compat/impl/btcec/musig2", "values.sign",
		"",
		"v.nonce.Y.IsOdd().Bool() && key.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.sign",
		"var k, d scalar.Scalar",
		"secNonce[0]&1 == 1", false},
	{"compat/impl/btcec/musig2", "values.sign",
		"k.CondNeg(&k, v.nonce.Y.IsOdd())",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.sign", "d.Mul(key, c)", "d.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.sign", "k.Add(&k, &d)", "k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.sign", "s.Set(&k)", "d.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.secretNonce", "", "secNonce[63] == 0", false},
	{"compat/impl/btcec/musig2", "values.secretNonce",
		"k.SetBytes((*[32]byte)(secNonce[:]))",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.secretNonce",
		"second.SetBytes((*[32]byte)(secNonce[32:]))",
		"second.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.secretNonce",
		"second.Mul(&second, &v.b)",
		"second.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.secretNonce",
		"k.Add(k, &second)",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "values.check",
		"v.secretNonce(&k, secNonce)",
		"k.IsOdd().Bool()", false},
	{"compat/impl/btcec/musig2", "values.check",
		"(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&r, &k)",
		"k.IsHigh().Bool()", false},
	{"compat/impl/btcec/musig2", "NewContext",
		"o := new(contextOptions)",
		"signingKey.Key.IsOdd()", false},
	{"compat/impl/btcec/musig2", "Context.EarlySessionNonce", "",
		"c.sessionNonce != nil && c.sessionNonce.SecNonce[31]&1 == 1", false},
	{"compat/impl/btcec/musig2", "Context.NewSession",
		"var o sessionOptions",
		"c.signingKey.Key.IsOdd()", false},
	{"compat/impl/btcec/musig2", "Session.Sign",
		"c := s.ctx.opts",
		"s.localNonces.SecNonce[31]&1 == 1", false},

	{"internal/ct", "Choice.Not", "", "c == 1", false},
	{"internal/ct", "Equal64", "", "a == b", false},
	{"internal/ct", "Wipe", "", "len(s) > 0 && s[0] == 0", false},

	{"internal/divsteps", "Modulus.Invert", "", "in[0]&1 == 1", false},
	{"internal/divsteps", "invertGeneric", "", "in[3] == 0", false},
	{"internal/divsteps", "Modulus.reduce", "", "t4>>63 == 1", false},
	{"internal/divsteps", "wipe", "", "d.l0&1 == 1", false},

	{"internal/field", "Element.Sqrt", "", "a.l0&1 == 1", false},
	{"internal/field", "Element.Double", "", "a.l3>>20&1 == 1", false},
	{"internal/field", "Element.MulBeta", "", "a.l1 == 0", false},
	{"internal/field", "Element.CondNeg", "", "choice == 1", false},
	{"internal/field", "squareN", "", "a.l2&1 == 1", false},
	{"internal/field", "Element.Set", "", "a.l3 == 0", false},

	{"internal/scalar", "Scalar.Limbs", "", "v.l0&1 == 1", false},
	{"internal/scalar", "Scalar.Half", "", "a.l0&1 == 1", false},
	{"internal/scalar", "Scalar.SetBytes", "", "b[0] == 0xff", false},
	{"internal/scalar", "Scalar.Invert", "", "a.l3 == 0", false},
	{"internal/scalar", "mulShift", "", "x2 == 0", false},
	{"internal/scalar", "Scalar.One", "", "v.l0 == 1", false},

	{"internal/point", "Jacobian.DoubleN", "", "q.X.IsOdd().Bool()", false},
	{"internal/point", "Affine.Normalize", "", "a.Y.IsOdd().Bool()", false},
	{"internal/point", "addGeneric", "", "q.Z.IsOdd().Bool()", false},
	{"internal/point", "Jacobian.Set", "", "q.Z.IsZero().Bool()", false},
	{"internal/point", "Affine.Wipe", "", "a.X.IsOdd().Bool()", false},

	{"internal/lanes", "Affine.SetLane", "", "x.IsOdd().Bool()", false},
	{"internal/lanes", "mulSmall", "", "a[0][0]&1 == 1", false},
	{"internal/lanes", "limbs.reduce", "", "z[0]&1 == 1", false},
	{"internal/lanes", "addAffine", "", "inv[4][7] == 0", false},
	{"internal/lanes", "Jacobian.IsInfinity", "", "p.Z[0][0] == 0", false},
	{"internal/lanes", "Jacobian.Select", "", "m.Has(0)", false},
	{"internal/lanes", "MulScalars", "if !Available() {", "k[0].IsOdd().Bool()", false},

	{"internal/hash", "Nonces.Next", "", "s.v[0]&1 == 1", false},
	{"internal/hash", "Challenges", "", "msg.Data[0]&1 == 1", false},
	{"internal/hash", "challenges", "if !haveKernels() {", "r.Data[0]&1 == 1", false},
	{"internal/hash", "Join", "", "digests[0][0]&1 == 1", false},
	{"internal/hash", "Nonce", "", "len(msg) == 64 && t[0] == 0", false},

	{"internal/ecmult", "ScalarMult", "", "k.IsOdd().Bool()", false},
	{"internal/ecmult", "read", "", "index == 3", false},
	{"internal/ecmult", "multiples.mult", "", "s.b1[0]&1 == 1", false},
	{"internal/ecmult", "baseScratch.recode", "", "k.IsHigh().Bool()", false},
	{"internal/ecmult", "entry.setLimbs", "", "x.IsOdd().Bool()", false},

	{"internal/keys", "Private.Blinded", "", "k.Live() && k.secret().d.IsOdd().Bool()", false},
	{"internal/keys", "GroupScalar.Value", "", "s.v.IsOdd().Bool()", false},
	{"internal/keys", "Public.OddY", "", "k.a.Y.IsOdd().Bool()", false},
	{"internal/keys", "Public.SetAffine", "", "a.X.IsOdd().Bool()", false},

	{"internal/dsa", "SignWith", "", "nonce.IsHigh().Bool()", false},
	{"internal/dsa", "SignWith", "high := sum.IsHigh()", "high.Bool()", false},
	{"internal/dsa", "Sign", "nonces.Next(&candidate)", "candidate[0] == 0", false},
}

// A place is a line of a file.
type place struct {
	file string // absolute
	line int
}

// plantLeaks puts the leaks into o, which may hold files already, and returns where
// each stands. Only those for assembly may have no place.
func (o overlay) plantLeaks(packages []goPackage, leaks []leak) (map[place]*leak, error) {
	places := map[place]*leak{}
	inserts := map[string]map[int]*leak{} // by file and offset
	sources := map[string]string{}
	for i := range leaks {
		l := &leaks[i]
		name, at, err := l.find(packages, o, sources)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		if inserts[name] == nil {
			inserts[name] = map[int]*leak{}
		}
		if inserts[name][at] != nil {
			return nil, fmt.Errorf("%v: there is one in this place", l)
		}
		inserts[name][at] = l
	}
	for name, at := range inserts {
		source := sources[name]
		variable := fmt.Sprintf("plantedLeaks%d", len(places))
		var b strings.Builder
		for i := range len(source) + 1 {
			if l := at[i]; l != nil {
				fmt.Fprintf(&b, "\nif %s { %s++ }\n", l.when, variable)
				places[place{name, strings.Count(b.String(), "\n")}] = l
			}
			if i < len(source) {
				b.WriteByte(source[i])
			}
		}
		o[name] = b.String() + "\nvar " + variable + " int\n"
	}
	return places, nil
}

// find returns the file of the function and the offset for the branch, or no file if
// that is for builds with assembly and this is none. It notes what the file contains.
func (l *leak) find(
	packages []goPackage, o overlay, sources map[string]string,
) (name string, at int, err error) {
	for _, p := range packages {
		if p.name() != l.pkg {
			continue
		}
		for _, base := range p.GoFiles {
			name := filepath.Join(p.Dir, base)
			if sources[name] == "" {
				sources[name] = o[name]
			}
			if sources[name] == "" {
				src, err := os.ReadFile(name)
				if err != nil {
					return "", 0, err
				}
				sources[name] = string(src)
			}
			at, err := l.offset(name, sources[name])
			if at > 0 || err != nil {
				return name, at, err
			}
		}
	}
	if l.assembly {
		return "", 0, nil
	}
	return "", 0, fmt.Errorf("%v: there is no such function", l)
}

// offset returns where in a file the branch is to stand, or 0 if the file does not
// have the function.
func (l *leak) offset(name, source string) (int, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || d.Body == nil || functionName(d) != l.function {
			continue
		}
		begin, end := fset.Position(d.Body.Lbrace).Offset+1, fset.Position(d.Body.Rbrace).Offset
		if l.after == "" {
			return begin, nil
		}
		switch i := strings.Index(source[begin:end], l.after); {
		case i >= 0:
			return begin + i + len(l.after), nil
		case l.assembly:
			return 0, nil
		}
		return 0, fmt.Errorf("%v: the function does not contain %q", l, l.after)
	}
	return 0, nil
}

// functionName returns F, or T.M for a method of T or *T.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return "?." + d.Name.Name
}

// foundLeaks returns the leaks at whose places a report of a leak was made, in a case
// that should have none: one in a planted case is no finding.
func foundLeaks(places map[place]*leak, reports []report) map[*leak]bool {
	found := map[*leak]bool{}
	for i := range reports {
		if name, ok := reports[i].leak(); !ok || strings.HasPrefix(name, planted) {
			continue
		}
		f := reports[i].Stacks[0].Frames[0]
		if l := places[place{filepath.Join(f.Dir, f.File), f.Line}]; l != nil {
			found[l] = true
		}
	}
	return found
}
