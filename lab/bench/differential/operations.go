package main

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/hashes"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

// An operation is computed by koblitz and by libsecp256k1. A case is a list of fields, such as a
// key, a hash and a signature. The answer is nil if the operation refuses the case.
type operation struct {
	name string
	// share is the number of blocks of this operation in each round.
	share int
	// cases returns the fields of n cases.
	cases func(g *generator, n int) [][][]byte
	// theirs computes a case by libsecp256k1.
	theirs func(f *peer.Functions, c [][]byte) []byte
	// one computes a case by koblitz's function for one call.
	one func(c [][]byte) []byte
	// many computes the n cases of a block by koblitz's function for many rows. The columns hold
	// the fields, packed. exact forbids equations. many returns nil if the function does not take
	// columns of these widths, and is nil if there is no function.
	many func(columns []column, n int, exact bool) [][]byte
}

// operations returns all operations.
func operations() []operation {
	return []operation{
		{"ECDSA verify", 7, (*generator).ecdsaCases, theirECDSA, oneECDSA, manyECDSA},
		{"BIP-340 verify", 7, (*generator).schnorrCases, theirSchnorr, oneSchnorr, manySchnorr},
		{"recover", 3, (*generator).recoverCases, theirRecover, oneRecover, manyRecover},
		{"parse and decompress", 5, (*generator).keyCases, theirKey, oneKey, manyKeys},
		{"public key of a secret", 2, (*generator).secretCases, theirPublic, onePublic, manyPublic},
		{"ECDH", 2, (*generator).ecdhCases, theirECDH, oneECDH, manyECDH},
		{"key + tweak·G", 2, (*generator).tweakCases, theirTweak, oneTweak, manyTweaks},
		{"taproot tweak check", 2, (*generator).checkCases, theirCheck, oneCheck, manyChecks},
		{"tweak of a secret", 2, (*generator).secretTweakCases, theirSecretTweak, oneSecretTweak, nil},
		{"tagged hash", 4, (*generator).hashCases, theirHash, oneHash, manyHashes},
		{"sum of products", 1, (*generator).sumCases, theirSum, oneSum, manySums},
		{"sum of keys", 1, (*generator).combineCases, theirCombine, oneCombine, nil},
		{"ECDSA sign", 1, (*generator).signCases, theirECDSASign, oneECDSASign, manyECDSASigns},
		{"BIP-340 sign", 1, (*generator).signCases, theirSign, oneSign, manySigns},
	}
}

// A column holds the values of one field in all cases of a block, which have the same width.
type column struct {
	data  []byte
	width int
}

func (c column) packed() batch.Column { return batch.Packed(c.data, c.width) }

func (c column) at(i int) []byte { return c.data[i*c.width:][:c.width] }

// columnsOf returns the fields of the cases as columns. It returns false if a field does not have
// the same width in all cases.
func columnsOf(cases [][][]byte) (columns []column, ok bool) {
	columns = make([]column, len(cases[0]))
	for f := range columns {
		columns[f].width = len(cases[0][f])
		for _, c := range cases {
			if len(c[f]) != columns[f].width {
				return nil, false
			}
			columns[f].data = append(columns[f].data, c[f]...)
		}
	}
	return columns, true
}

// compute returns koblitz's answers for the cases of a block, by the function for many rows if
// together is set and there is one for the widths of the cases, and otherwise by one call for each.
func (o *operation) compute(cases [][][]byte, together, exact bool) (r reply) {
	if columns, ok := columnsOf(cases); ok && together && o.many != nil {
		if r.Answers = o.many(columns, len(cases), exact); r.Answers != nil {
			r.InRows = true
			return r
		}
	}
	for _, c := range cases {
		r.Answers = append(r.Answers, o.one(c))
	}
	return r
}

var alone = &batch.SecretOptions{Workers: 1}

func options(exact bool) *batch.Options { return &batch.Options{Workers: 1, Exact: exact} }

// yes is the answer of operations without another result.
func yes(ok bool) []byte {
	if ok {
		return []byte{1}
	}
	return nil
}

func judged(verdicts []batch.Verdict, err error) (answers [][]byte) {
	must(err)
	for _, v := range verdicts {
		answers = append(answers, yes(v == batch.Valid))
	}
	return answers
}

// results returns the results of the valid rows, width bytes each, changed by the function f.
func results(
	dst []byte, width int, verdicts []batch.Verdict, err error, f func([]byte) []byte,
) (answers [][]byte) {
	must(err)
	for i, v := range verdicts {
		var answer []byte
		if v == batch.Valid {
			answer = f(dst[i*width:][:width])
		}
		answers = append(answers, answer)
	}
	return answers
}

func asIs(b []byte) []byte { return b }

// compress returns the key of 65 bytes in 33 bytes.
func compress(b []byte) []byte { return append([]byte{2 | b[64]&1}, b[1:33]...) }

// must panics on errors that no input may cause. The block fails, and the command with it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The fields of ECDSA are the key, the hash, the signature, and a byte that is 1 for the rule that
// s must be low.

func theirECDSA(f *peer.Functions, c [][]byte) []byte {
	if c[3][0] == 1 {
		return yes(f.ECDSAVerifyLowS(c[0], c[1], c[2]))
	}
	return yes(f.ECDSAVerify(c[0], c[1], c[2]))
}

func oneECDSA(c [][]byte) []byte {
	key, err := koblitz.ParsePublicKey(c[0])
	if err != nil {
		return nil
	}
	sig, err := ecdsa.ParseSignature(c[2])
	if err != nil {
		return nil
	}
	if c[3][0] == 1 {
		return yes(ecdsa.VerifyLowS(key, c[1], sig))
	}
	return yes(ecdsa.Verify(key, c[1], sig))
}

func manyECDSA(columns []column, n int, exact bool) [][]byte {
	rule := batch.AnyS
	if columns[3].data[0] == 1 {
		rule = batch.LowS
	}
	verdicts := make([]batch.Verdict, n)
	if exact {
		rows := batch.ECDSARows{Keys: batch.EncodedKeys(columns[0].packed()),
			Hashes: columns[1].packed(), Signatures: columns[2].packed(), S: rule}
		_, err := rows.Verify(context.Background(), verdicts, options(true))
		return judged(verdicts, err)
	}
	b := batch.NewECDSA(n, rule, options(false))
	for i := range n {
		b.AddBytes(columns[0].at(i), columns[1].at(i), columns[2].at(i))
	}
	_, err := b.Verify(context.Background(), verdicts)
	return judged(verdicts, err)
}

// The fields of BIP-340 are the key, the message and the signature.

func theirSchnorr(f *peer.Functions, c [][]byte) []byte {
	return yes(f.SchnorrVerify(c[0], c[1], c[2]))
}

func oneSchnorr(c [][]byte) []byte {
	key, err := koblitz.ParseXOnlyPublicKey(c[0])
	return yes(err == nil && schnorr.Verify(key, c[1], c[2]))
}

func manySchnorr(columns []column, n int, exact bool) [][]byte {
	verdicts := make([]batch.Verdict, n)
	if columns[1].width == 32 {
		rows := batch.SchnorrRows{Keys: batch.EncodedKeys(columns[0].packed()),
			Messages: columns[1].packed(), Signatures: columns[2].packed()}
		_, err := rows.Verify(context.Background(), verdicts, options(exact))
		return judged(verdicts, err)
	}
	b := batch.NewSchnorr(n, options(exact))
	for i := range n {
		b.AddBytes(columns[0].at(i), columns[1].at(i), columns[2].at(i))
	}
	_, err := b.Verify(context.Background(), verdicts)
	return judged(verdicts, err)
}

// The fields of recovery are the hash and the signature of 65 bytes.

func theirRecover(f *peer.Functions, c [][]byte) []byte { return f.Recover(c[0], c[1]) }

func oneRecover(c [][]byte) []byte {
	key, err := ecdsa.Recover(c[0], c[1])
	if err != nil {
		return nil
	}
	return key.Bytes()
}

func manyRecover(columns []column, n int, _ bool) [][]byte {
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	rows := batch.RecoverRows{Hashes: columns[0].packed(), Signatures: columns[1].packed(),
		S: batch.AnyS}
	_, err := rows.Recover(context.Background(), dst, verdicts, options(false))
	return results(dst, 65, verdicts, err, compress)
}

// The field of a key to parse is its encoding.

func theirKey(f *peer.Functions, c [][]byte) []byte { return f.Parse(c[0]) }

func oneKey(c [][]byte) []byte {
	key, err := koblitz.ParsePublicKey(c[0])
	if err != nil {
		return nil
	}
	return key.UncompressedBytes()
}

func manyKeys(columns []column, n int, _ bool) [][]byte {
	if columns[0].width != 33 {
		return nil
	}
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	rows := batch.KeyRows{Keys: columns[0].packed()}
	_, err := rows.Decompress(context.Background(), dst, verdicts, options(false))
	return results(dst, 65, verdicts, err, asIs)
}

// The field of a public key to compute is the secret.

func theirPublic(f *peer.Functions, c [][]byte) []byte { return f.PublicKey(c[0]) }

func onePublic(c [][]byte) []byte {
	key, err := koblitz.ParsePrivateKey(c[0])
	if err != nil {
		return nil
	}
	return key.PublicKey().Bytes()
}

func manyPublic(columns []column, n int, exact bool) [][]byte {
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	if exact {
		rows := batch.ScalarRows{Scalars: columns[0].packed()}
		_, err := rows.PublicKeysVartime(context.Background(), dst, verdicts, options(false))
		return results(dst, 65, verdicts, err, compress)
	}
	rows := batch.SecretRows{Secrets: columns[0].packed()}
	_, err := rows.PublicKeys(context.Background(), dst[:33*n], verdicts, alone)
	return results(dst, 33, verdicts, err, asIs)
}

// The fields of ECDH are the secret and the other party's key.

func theirECDH(f *peer.Functions, c [][]byte) []byte {
	if !isSecret(c[0]) || f.Parse(c[1]) == nil {
		return nil
	}
	return f.ECDHX(c[0], c[1])
}

func oneECDH(c [][]byte) []byte {
	secret, err := koblitz.ParsePrivateKey(c[0])
	if err != nil {
		return nil
	}
	key, err := koblitz.ParsePublicKey(c[1])
	if err != nil {
		return nil
	}
	x, err := ecdh.SharedX(secret, key)
	must(err)
	return x
}

func manyECDH(columns []column, n int, _ bool) [][]byte {
	if columns[1].width != 33 {
		return nil
	}
	dst, verdicts := make([]byte, 32*n), make([]batch.Verdict, n)
	rows := batch.ECDHRows{Secrets: columns[0].packed(), Keys: columns[1].packed()}
	_, err := rows.SharedX(context.Background(), dst, verdicts, alone)
	return results(dst, 32, verdicts, err, asIs)
}

// The fields of a tweaked key are the key and the tweak.

func theirTweak(f *peer.Functions, c [][]byte) []byte { return f.TweakAdd(c[0], c[1]) }

func oneTweak(c [][]byte) []byte {
	key, err := koblitz.ParsePublicKey(c[0])
	if err != nil {
		return nil
	}
	if key, err = key.TweakAdd(c[1]); err != nil {
		return nil
	}
	return key.Bytes()
}

func manyTweaks(columns []column, n int, _ bool) [][]byte {
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	rows := batch.TweakRows{Keys: columns[0].packed(), Tweaks: columns[1].packed()}
	_, err := rows.AddVartime(context.Background(), dst, verdicts, options(false))
	return results(dst, 65, verdicts, err, compress)
}

// The fields of a check are the x-only key, the tweak, the output's x coordinate and its parity.

func theirCheck(f *peer.Functions, c [][]byte) []byte {
	return yes(f.TweakCheck(c[0], c[1], c[2], c[3][0]))
}

func oneCheck(c [][]byte) []byte {
	key, err := koblitz.ParseXOnlyPublicKey(c[0])
	return yes(err == nil && key.CheckTweakAdd(c[1], c[2], c[3][0] == 1))
}

func manyChecks(columns []column, n int, exact bool) [][]byte {
	verdicts := make([]batch.Verdict, n)
	rows := batch.TweakCheckRows{Keys: columns[0].packed(), Tweaks: columns[1].packed(),
		Outputs: columns[2].packed(), Parities: columns[3].packed()}
	_, err := rows.Verify(context.Background(), verdicts, options(exact))
	return judged(verdicts, err)
}

// The fields of a tweaked secret are the secret, the tweak, and a byte that is 1 for a product.

func theirSecretTweak(f *peer.Functions, c [][]byte) []byte {
	if c[2][0] == 1 {
		return f.SecretTweakMul(c[0], c[1])
	}
	return f.SecretTweakAdd(c[0], c[1])
}

func oneSecretTweak(c [][]byte) []byte {
	key, err := koblitz.ParsePrivateKey(c[0])
	if err != nil {
		return nil
	}
	if c[2][0] == 1 {
		key, err = key.TweakMul(c[1])
	} else {
		key, err = key.TweakAdd(c[1])
	}
	if err != nil {
		return nil
	}
	return key.Bytes()
}

// The fields of a hash are the tag and the message.

func theirHash(f *peer.Functions, c [][]byte) []byte { return f.TaggedHash(c[0], c[1]) }

func oneHash(c [][]byte) []byte {
	h := schnorr.TaggedHash(string(c[0]), c[1])
	return h[:]
}

// manyHashes computes the hashes of BIP-340 by the function for SHA-256 of many messages.
func manyHashes(columns []column, n int, _ bool) (answers [][]byte) {
	var messages [][]byte
	for i := range n {
		tag := sha256.Sum256(columns[0].at(i))
		messages = append(messages, bytes.Join([][]byte{tag[:], tag[:], columns[1].at(i)}, nil))
	}
	for _, h := range hashes.AppendSHA256(nil, messages) {
		answers = append(answers, h[:])
	}
	return answers
}

// The fields of a sum are its scalars, 32 bytes each, and its points, 33 bytes each.

func theirSum(f *peer.Functions, c [][]byte) []byte {
	var products [][]byte
	for i := range len(c[1]) / 33 {
		if k := c[0][32*i:][:32]; !isZero(k) {
			products = append(products, f.Multiply(k, c[1][33*i:][:33]))
		}
	}
	return f.Combine(products...)
}

func terms(c [][]byte) (scalars []group.Scalar, points []group.Point) {
	n := len(c[1]) / 33
	scalars, points = make([]group.Scalar, n), make([]group.Point, n)
	for i := range n {
		_, err := scalars[i].SetBytes(c[0][32*i:][:32])
		must(err)
		_, err = points[i].SetBytes(c[1][33*i:][:33])
		must(err)
	}
	return scalars, points
}

// encoded returns the encoding of p, or nil for the identity.
func encoded(p *group.Point) []byte {
	if p.IsIdentity() {
		return nil
	}
	return p.Bytes()
}

func oneSum(c [][]byte) []byte {
	scalars, points := terms(c)
	var k []*group.Scalar
	var p []*group.Point
	for i := range scalars {
		k, p = append(k, &scalars[i]), append(p, &points[i])
	}
	sum, err := new(group.Point).MultiScalarMult(k, p)
	must(err)
	return encoded(sum)
}

func manySums(columns []column, n int, _ bool) (answers [][]byte) {
	for i := range n {
		scalars, points := terms([][]byte{columns[0].at(i), columns[1].at(i)})
		sum, err := msm.SumVartime(context.Background(), scalars, points, &msm.Options{Workers: 1})
		must(err)
		answers = append(answers, encoded(&sum))
	}
	return answers
}

// The field of a sum of keys is the keys, 33 bytes each.

func split(b []byte) (keys [][]byte) {
	for ; len(b) > 0; b = b[33:] {
		keys = append(keys, b[:33])
	}
	return keys
}

func theirCombine(f *peer.Functions, c [][]byte) []byte { return f.Combine(split(c[0])...) }

func oneCombine(c [][]byte) []byte {
	var keys []*koblitz.PublicKey
	for _, b := range split(c[0]) {
		key, err := koblitz.ParsePublicKey(b)
		if err != nil {
			return nil
		}
		keys = append(keys, key)
	}
	sum, err := koblitz.CombineKeys(keys...)
	if err != nil {
		return nil
	}
	return sum.Bytes()
}

// The fields of signing are the secret, the hash or message, and the auxiliary randomness of
// BIP-340.

func theirECDSASign(f *peer.Functions, c [][]byte) []byte {
	if !isSecret(c[0]) {
		return nil
	}
	return f.ECDSASign(c[0], c[1])
}

func oneECDSASign(c [][]byte) []byte {
	key, err := koblitz.ParsePrivateKey(c[0])
	if err != nil {
		return nil
	}
	sig, err := ecdsa.AppendSign(nil, key, c[1], nil)
	must(err)
	return sig
}

func manyECDSASigns(columns []column, n int, _ bool) [][]byte {
	dst, verdicts := make([]byte, 65*n), make([]batch.Verdict, n)
	rows := batch.ECDSASignRows{Secrets: columns[0].packed(), Hashes: columns[1].packed()}
	_, err := rows.Sign(context.Background(), dst, verdicts, alone)
	return results(dst, 65, verdicts, err, func(b []byte) []byte { return b[:64] })
}

func theirSign(f *peer.Functions, c [][]byte) []byte {
	if !isSecret(c[0]) {
		return nil
	}
	return f.SchnorrSign(c[0], c[1], c[2])
}

func oneSign(c [][]byte) []byte {
	key, err := koblitz.ParsePrivateKey(c[0])
	if err != nil {
		return nil
	}
	sig, err := schnorr.Sign(key, c[1], &schnorr.SignOptions{Aux: c[2]})
	must(err)
	return sig
}

func manySigns(columns []column, n int, _ bool) [][]byte {
	dst, verdicts := make([]byte, 64*n), make([]batch.Verdict, n)
	rows := batch.SchnorrSignRows{Secrets: columns[0].packed(), Messages: columns[1].packed(),
		Aux: columns[2].packed()}
	_, err := rows.Sign(context.Background(), dst, verdicts, alone)
	return results(dst, 64, verdicts, err, asIs)
}
