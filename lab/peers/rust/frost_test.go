//go:build rust

package rust

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
)

// A frostRound is a group of participants, some of whom sign. The crate computes the same.
type frostRound struct {
	*round
	t, n       int
	commitment *frost.Commitment
	key        *koblitz.PublicKey
	shares     []*koblitz.PrivateKey // by identifier
	public     []*koblitz.PublicKey  // by identifier

	ids     []uint32 // of the signers
	signers *frost.Signers
	message []byte
}

// TestFROST checks that x/frost and the crate frost-secp256k1 compute the same bytes in every step
// of dealing, key generation, signing by RFC 9591 and repair, and that both blame the same
// participants. Both get the same random bytes. So the test covers every mix of participants in Go
// and in Rust. By the same shares, BIP-445 in Go and the crate frost-secp256k1-tr sign, and both
// sides accept both signatures. The comment of the package lists the differences.
func TestFROST(t *testing.T) {
	kinds := []string{"dealer", "key generation", "tweak", "no tweak", "repair"}
	rounds(t, count(60, 150, 2000), kinds, func(r *round) {
		f := &frostRound{round: r, n: 2 + r.IntN(7), message: randomMessage(r)}
		f.t = 2 + f.IntN(f.n-1)
		if f.IntN(2) == 0 {
			f.seen["dealer"]++
			f.deal()
		} else {
			f.seen["key generation"]++
			f.generate()
		}
		f.choose()
		f.signRFC9591()
		f.signBIP340()
		f.repair()
	})
}

// deal has a dealer share a random key.
func (f *frostRound) deal() {
	secret, random := randomKey(f.Rand), reference.Bytes(f.Rand, 32*(f.t-1))
	var commitment *frost.Commitment
	f.given(random, func() {
		var err error
		if f.shares, commitment, err = frost.Deal(secret, f.t, f.n); err != nil {
			f.Fatal(err)
		}
	})
	f.setPublic(commitment)
	want := words(commitment, f.key, encoded(f.public), encoded(f.shares))
	for _, suite := range []string{"rfc9591", "taproot"} {
		f.expect(want, suite, "deal", secret, f.t, f.n, random)
	}
	for id, share := range f.shares {
		if err := commitment.Check(uint32(id), share); err != nil {
			f.Fatal(err)
		}
	}
}

// setPublic sets the keys to which the commitment commits.
func (f *frostRound) setPublic(c *frost.Commitment) {
	f.commitment = c
	f.key = reference.Must(c.PublicKey())
	f.public = make([]*koblitz.PublicKey, f.n)
	for id := range f.public {
		f.public[id] = reference.Must(c.PublicShare(uint32(id)))
	}
}

// generate has the participants generate a key. Before that, some of them cheat.
func (f *frostRound) generate() {
	participants, made := make([]*frost.KeyGen, f.n), make([][]string, f.n)
	contributions := make([]*frost.Contribution, f.n)
	for id := range participants {
		secret, nonce := reference.Bytes(f.Rand, 32), reference.Bytes(f.Rand, 32)
		rest := reference.Bytes(f.Rand, 32*(f.t-1))
		f.given(slices.Concat(secret, nonce, rest), func() {
			participants[id] = reference.Must(frost.StartKeyGen(uint32(id), f.t, f.n, nil))
		})
		contributions[id] = participants[id].Contribution()
		// The crate draws the nonce of the proof last.
		made[id] = words(id+1, f.t, f.n, slices.Concat(secret, rest, nonce))
		f.expect(words(contributions[id]), "rfc9591", "contribution", made[id])
	}
	f.falseProof(participants, made, contributions)
	sent := make([][]*koblitz.PrivateKey, f.n)
	for id, p := range participants {
		sent[id] = reference.Must(p.Shares(contributions))
		made[id] = append(made[id], encoded(contributions))
		f.expect(words(encoded(sent[id])), "rfc9591", "shares", made[id])
	}
	f.falseShares(participants, made, sent)
	for id, p := range participants {
		result := reference.Must(p.Finish(received(sent, id)))
		f.shares = append(f.shares, result.Share)
		f.setPublic(result.Commitment)
		f.expect(words(result.Share, f.key, encoded(f.public)),
			"rfc9591", "finish", made[id], encoded(received(sent, id)))
	}
}

// received returns the shares that participant id gets.
func received[T any](sent [][]T, id int) (shares []T) {
	for _, s := range sent {
		shares = append(shares, s[id])
	}
	return shares
}

// falseProof changes the proof of one participant, whom another must blame.
func (f *frostRound) falseProof(
	participants []*frost.KeyGen, made [][]string, contributions []*frost.Contribution,
) {
	cheat, judge := f.two()
	b := contributions[cheat].Bytes()
	b[len(b)-1-f.IntN(31)] ^= 1 << f.IntN(8)
	changed := slices.Clone(contributions)
	changed[cheat] = reference.Must(frost.ParseContribution(b))
	_, err := participants[judge].Shares(changed)
	f.blames(err, uint32(cheat))
	f.refuses(words(cheat+1), "rfc9591", "shares", made[judge], encoded(changed))
}

// falseShares changes a share on its way, whose sender the receiver must blame.
func (f *frostRound) falseShares(
	participants []*frost.KeyGen, made [][]string, sent [][]*koblitz.PrivateKey,
) {
	cheat, judge := f.two()
	shares := received(sent, judge)
	if f.IntN(2) == 0 {
		shares[cheat] = shares[cheat].Negate()
	} else {
		shares[cheat] = randomKey(f.Rand)
	}
	_, err := participants[judge].Finish(shares)
	f.blames(err, uint32(cheat))
	f.refuses(words(cheat+1), "rfc9591", "finish", made[judge], encoded(shares))
}

// two returns two participants.
func (f *frostRound) two() (a, b int) {
	p := f.Perm(f.n)
	return p[0], p[1]
}

// blames checks that an error blames these participants.
func (f *frostRound) blames(err error, want ...uint32) {
	f.Helper()
	var blame *frost.BlameError
	if !errors.As(err, &blame) || !slices.Equal(blame.IDs, want) {
		f.Fatalf("%v, want an error that blames %d", err, want)
	}
}

// choose draws the signers, in any order.
func (f *frostRound) choose() {
	for _, id := range f.Perm(f.n)[:f.t+f.IntN(f.n-f.t+1)] {
		f.ids = append(f.ids, uint32(id))
	}
	f.signers = reference.Must(frost.NewSigners(f.t, f.n, f.ids, of(f.public, f.ids), f.key))
}

// of returns what the participants have.
func of[T any](all []T, ids []uint32) (some []T) {
	for _, id := range ids {
		some = append(some, all[id])
	}
	return some
}

// group returns the words T KEY IDS PUBLIC.
func (f *frostRound) group(ids []uint32) []string {
	return words(f.t, f.key, numbers(ids), encoded(of(f.public, ids)))
}

// numbers returns a list of identifiers as the crate counts them, from 1.
func numbers(ids []uint32) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprint(id+1))
	}
	return strings.Join(all, ",")
}

// signRFC9591 signs by RFC 9591.
func (f *frostRound) signRFC9591() {
	var secrets []*frost.SecretNonce
	var nonces []*frost.PublicNonce
	var made [][]string
	for _, id := range f.ids {
		random := reference.Bytes(f.Rand, 64)
		f.given(random, func() {
			secret := reference.Must(frost.GenerateNonceRFC9591(f.shares[id]))
			secrets, nonces = append(secrets, secret), append(nonces, secret.Public())
		})
		made = append(made, words(f.shares[id], random))
		f.expect(words(nonces[len(nonces)-1]), "rfc9591", "nonce", made[len(made)-1])
	}
	session := reference.Must(frost.NewSessionRFC9591(f.signers, nonces, f.message))
	all := words(f.group(f.ids), encoded(nonces), f.message)
	partials := make([][]byte, len(f.ids))
	for i, id := range f.ids {
		partials[i] = reference.Must(session.Sign(secrets[i], id, f.shares[id]))
		f.expect(words(partials[i]), "rfc9591", "sign", all, id+1, made[i])
		f.expect(nil, "rfc9591", "verify", all, id+1, partials[i])
	}
	if err := session.VerifyPartials(nonces, partials); err != nil {
		f.Fatal(err)
	}
	signature := reference.Must(session.Aggregate(partials))
	f.expect(words(signature), "rfc9591", "aggregate", all, list(partials...))
	f.checkSignature("rfc9591", f.key, f.message, signature)

	forged, cheats := slices.Clone(partials), f.Perm(len(f.ids))[:1+f.IntN(len(f.ids))]
	slices.Sort(cheats)
	var blamed []uint32
	for j, i := range cheats {
		// Only one cheat may send the partial signature of another: two that swap theirs leave the
		// sum as it was.
		if forged[i] = f.forgery(i, partials); j > 0 {
			forged[i] = randomKey(f.Rand).Bytes()
		}
		blamed = append(blamed, f.ids[i])
		f.refuses(words(f.ids[i]+1), "rfc9591", "verify", all, f.ids[i]+1, forged[i])
	}
	f.blames(session.VerifyPartials(nonces, forged), blamed...)
	if signature, err := session.Aggregate(forged); err == nil {
		f.Fatalf("signature %x of %x", signature, forged)
	}
	slices.Sort(blamed) // the crate has no other order
	f.refuses(strings.Split(numbers(blamed), ","), "rfc9591", "aggregate", all, list(forged...))
}

// signBIP340 signs by BIP-445 and by the crate frost-secp256k1-tr, with a tweak of BIP-341 or
// without one.
func (f *frostRound) signBIP340() {
	group, shares := f.group(f.ids), strings.Split(encoded(of(f.shares, f.ids)), ",")
	output, tweaks := f.key, []frost.Tweak(nil)
	if f.IntN(4) > 0 {
		f.seen["tweak"]++
		root := reference.Bytes(f.Rand, 32*f.IntN(2))
		internal := f.key.XOnlyPublicKey()
		tweak := schnorr.TaggedHash("TapTweak", internal.Bytes(), root)
		tweaks = []frost.Tweak{{Value: tweak[:], XOnly: true}}
		output = reference.Must(internal.TaprootTweak(root))
		answer, ok := f.ask("taproot", "tweak", group, strings.Join(shares, ","), root)
		if !ok || answer[0] != output.String() {
			f.Fatalf("key with tweak %v, want %q", output, answer)
		}
		group[1], group[3] = answer[0], answer[1]
		shares = strings.Split(answer[2], ",")
	} else {
		f.seen["no tweak"]++
	}
	for _, signature := range [][]byte{
		f.signBIP445(tweaks, output), f.signTaproot(group, shares),
	} {
		f.checkSignature("musig", output, f.message, signature)
		f.checkSignature("taproot", output, f.message, signature)
	}
}

// signBIP445 returns a signature under the output key.
func (f *frostRound) signBIP445(tweaks []frost.Tweak, output *koblitz.PublicKey) []byte {
	var secrets []*frost.SecretNonce
	var nonces []*frost.PublicNonce
	for _, id := range f.ids {
		f.given(reference.Bytes(f.Rand, 32), func() {
			secret := reference.Must(frost.GenerateNonce(&frost.NonceOptions{Share: f.shares[id]}))
			secrets, nonces = append(secrets, secret), append(nonces, secret.Public())
		})
	}
	sum := reference.Must(frost.AggregateNonces(nonces))
	session := reference.Must(frost.NewSession(f.signers, sum, tweaks, f.message))
	if got := session.PublicKey(); !got.XOnlyPublicKey().Equal(output.XOnlyPublicKey()) {
		f.Fatalf("key with tweaks %v, want %v", got, output)
	}
	partials := make([][]byte, len(f.ids))
	for i, id := range f.ids {
		partials[i] = reference.Must(session.Sign(secrets[i], id, f.shares[id]))
	}
	return reference.Must(session.Aggregate(partials))
}

// signTaproot returns a signature by the crate frost-secp256k1-tr.
func (f *frostRound) signTaproot(group, shares []string) []byte {
	var nonces, partials []string
	random := make([]string, len(f.ids))
	for i := range f.ids {
		random[i] = list(reference.Bytes(f.Rand, 64))
		nonces = append(nonces, f.answer("taproot", "nonce", shares[i], random[i]))
	}
	all := words(group, strings.Join(nonces, ","), f.message)
	for i, id := range f.ids {
		partials = append(partials, f.answer("taproot", "sign", all, id+1, shares[i], random[i]))
	}
	return reference.Hex(f.answer("taproot", "aggregate", all, strings.Join(partials, ",")))
}

// answer returns the only word of an answer.
func (r *round) answer(request ...any) string {
	answer, ok := r.ask(request...)
	if !ok || len(answer) != 1 {
		r.Fatalf("%q: the crate answers %q, %t, want one word", words(request...), answer, ok)
	}
	return answer[0]
}

// repair has at least t participants repair the share of another participant. It does nothing if
// there are too few participants for this.
func (f *frostRound) repair() {
	if f.t == f.n {
		return
	}
	f.seen["repair"]++
	var helpers []uint32
	for _, id := range f.Perm(f.n)[:f.t+1+f.IntN(f.n-f.t)] {
		helpers = append(helpers, uint32(id))
	}
	lost, helpers := helpers[0], helpers[1:]
	slices.Sort(helpers) // as the crate orders them
	group, sent := f.group(helpers), make([][]*frost.RepairPart, len(helpers))
	r := reference.Must(frost.NewRepair(f.commitment, f.n, lost, helpers))
	for i, id := range helpers {
		random := reference.Bytes(f.Rand, 32*(len(helpers)-1))
		f.given(random, func() {
			sent[i] = reference.Must(r.Parts(id, f.shares[id]))
		})
		f.expect(words(secrets(sent[i])),
			"rfc9591", "parts", group, id+1, f.shares[id], lost+1, random)
	}
	var sums []*frost.RepairPart
	for i, id := range helpers {
		sum := reference.Must(r.AddParts(id, received(sent, i)))
		sums = append(sums, sum)
		f.expect(words(secrets(sums[i:])), "rfc9591", "sum", secrets(received(sent, i)))
	}
	share, err := r.Share(sums)
	if err != nil || !share.Equal(f.shares[lost]) {
		f.Fatalf("the repaired share of participant %d: not its share, %v", lost, err)
	}
	f.expect(words(share), "rfc9591", "repair", group, lost+1, secrets(sums))
}

// secrets returns the numbers of parts without the hashes before them, which the crate lacks.
func secrets(parts []*frost.RepairPart) string {
	var items [][]byte
	for _, p := range parts {
		items = append(items, p.Bytes()[32:])
	}
	return list(items...)
}
