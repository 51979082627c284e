//go:build !purego

package koblitz_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
	"golang.org/x/sys/cpu"
)

// An answer is a known signature: by RFC 6979 for ECDSA, and from BIP-340's vectors for Schnorr.
type answer struct{ secret, message, aux, sig string }

var (
	knownECDSA = answer{ // a widely used signature of SHA-256("Satoshi Nakamoto")
		secret: "0000000000000000000000000000000000000000000000000000000000000001",
		sig: "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
			"2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
	}
	knownSchnorr = answer{ // BIP-340, test vector 1
		secret:  "b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef",
		message: "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89",
		aux:     "0000000000000000000000000000000000000000000000000000000000000001",
		sig: "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341" +
			"8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a",
	}
)

// TestKnownAnswers checks that signing, verification alone and in batches, recovery and sums give
// known results, and logs the implementations in use. TestSwitch runs it in separate processes.
func TestKnownAnswers(t *testing.T) {
	t.Logf("implementations %s.", strings.Join(koblitz.Implementations(), " "))
	const n = 64
	badRow := func(sigs []byte) { sigs[64*5+40] ^= 1 }
	judge := func(what string, verdicts []batch.Verdict, err error) {
		t.Helper()
		for i, v := range verdicts {
			if want := i != 5; err != nil || (v == batch.Valid) != want {
				t.Errorf("%s: row %d is %v, %v", what, i, v, err)
			}
		}
	}

	key := reference.Must(koblitz.ParsePrivateKey(reference.Hex(knownECDSA.secret)))
	hash, want := sha256.Sum256([]byte("Satoshi Nakamoto")), reference.Hex(knownECDSA.sig)
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil || !bytes.Equal(sig.Bytes(), want) {
		t.Fatalf("ECDSA: %x, %v", sig.Bytes(), err)
	}
	if !ecdsa.Verify(key.PublicKey(), hash[:], sig) {
		t.Error("ECDSA does not verify")
	}
	sigs, verdicts := bytes.Repeat(want, n), make([]batch.Verdict, n)
	badRow(sigs)
	_, err = batch.ECDSARows{
		Hashes:     batch.Same(hash[:]),
		Keys:       batch.EncodedKeys(batch.Same(key.PublicKey().Bytes())),
		Signatures: batch.Packed(sigs, 64), S: batch.AnyS,
	}.Verify(t.Context(), verdicts, nil)
	judge("ECDSA", verdicts, err)
	var recovered []byte
	for id := range byte(2) {
		if k, err := ecdsa.Recover(hash[:], append(bytes.Clone(want), id)); err == nil &&
			k.Equal(key.PublicKey()) {
			recovered = k.Bytes()
		}
	}
	if recovered == nil {
		t.Error("no recovery id gives the key")
	}

	key, err = koblitz.ParsePrivateKey(reference.Hex(knownSchnorr.secret))
	if err != nil {
		t.Fatal(err)
	}
	message, want := reference.Hex(knownSchnorr.message), reference.Hex(knownSchnorr.sig)
	aux := reference.Hex(knownSchnorr.aux)
	bip340, err := schnorr.Sign(key, message, &schnorr.SignOptions{Aux: aux})
	if err != nil || !bytes.Equal(bip340, want) {
		t.Fatalf("BIP-340: %x, %v", bip340, err)
	}
	if !schnorr.Verify(key.PublicKey().XOnlyPublicKey(), message, bip340) {
		t.Error("BIP-340 does not verify")
	}
	for _, exact := range []bool{false, true} {
		sigs, verdicts := bytes.Repeat(want, n), make([]batch.Verdict, n)
		badRow(sigs)
		_, err = batch.SchnorrRows{
			Messages:   batch.Same(message),
			Keys:       batch.EncodedKeys(batch.Same(key.PublicKey().XOnlyPublicKey().Bytes())),
			Signatures: batch.Packed(sigs, 64),
		}.Verify(t.Context(), verdicts, &batch.Options{Exact: exact})
		judge("BIP-340", verdicts, err)
	}

	// The sum of the products i·(i·G) is (the sum of i²)·G.
	scalar := func(x uint64) *group.Scalar {
		k, err := new(group.Scalar).SetBytes(binary.BigEndian.AppendUint64(make([]byte, 24), x))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	var scalars []group.Scalar
	var points []group.Point
	squares := uint64(0)
	for i := range uint64(300) {
		k := scalar(i + 1)
		scalars = append(scalars, *k)
		points = append(points, *new(group.Point).ScalarBaseMult(k))
		squares += (i + 1) * (i + 1)
	}
	sum, err := msm.SumVartime(t.Context(), scalars, points, nil)
	expected := new(group.Point).ScalarBaseMult(scalar(squares))
	if err != nil || !bytes.Equal(sum.Bytes(), expected.Bytes()) {
		t.Errorf("the sum is %x, %v, want %x", sum.Bytes(), err, expected.Bytes())
	}
}

// TestSwitch runs TestKnownAnswers with each value of the environment variable that disables
// instructions, and checks the names of the implementations that were used.
func TestSwitch(t *testing.T) {
	self := reference.Must(os.Executable())
	used := regexp.MustCompile(`implementations ([^.]*)\.`)
	run := func(setting string) []string {
		t.Helper()
		c := exec.Command(self, "-test.run=^TestKnownAnswers$", "-test.v", "-test.count=1")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GODEBUG=") && !strings.HasPrefix(v, "KOBLITZ_CPU_OFF=") {
				c.Env = append(c.Env, v)
			}
		}
		c.Env = append(c.Env, setting)
		out, err := c.CombinedOutput()
		found := used.FindSubmatch(out)
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestKnownAnswers")) || found == nil {
			t.Fatalf("%s: %v\n%s", setting, err, out)
		}
		return strings.Fields(string(found[1]))
	}
	all := run("KOBLITZ_CPU_OFF=")
	t.Logf("without a setting: %v", all)
	// The fastest implementation in lanes is the first in this list that the CPU has.
	inLanes := []struct {
		name string
		has  bool
	}{
		{"lanes", all[0] == "lanes"},
		{"lanes-FMA", cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL},
		{"lanes-AVX-IFMA", cpu.X86.HasAVX2 && cpu.X86.HasAVXIFMA},
		{"lanes-AVX2", cpu.X86.HasAVX2 && cpu.X86.HasFMA},
	}
	none := []string{"lanes", "lanes-FMA", "lanes-AVX-IFMA", "lanes-AVX2"}
	for _, tt := range []struct {
		setting string
		missing []string
	}{
		{"KOBLITZ_CPU_OFF=lanes", none},
		{"KOBLITZ_CPU_OFF=AVX512IFMA", none[:1]},
		{"KOBLITZ_CPU_OFF=avx512vbmi2", none[:1]},
		{"KOBLITZ_CPU_OFF=AVX512F", none[:2]},
		{"KOBLITZ_CPU_OFF=AVX512F,AVX-IFMA", none[:3]},
		{"KOBLITZ_CPU_OFF=AVX512F,AVX2", none},
		{"KOBLITZ_CPU_OFF=ADX", []string{"ADX"}},
		{"KOBLITZ_CPU_OFF=BMI2", []string{"ADX"}},
		{"KOBLITZ_CPU_OFF=AVX2", none},
		{"KOBLITZ_CPU_OFF=lanes,ADX", append(none, "ADX")},
		{"KOBLITZ_CPU_OFF=all", append(none, "ADX")},
		{"KOBLITZ_CPU_OFF=SSE2,foo,+lanes,portable", nil},
		{"KOBLITZ_CPU_OFF=\xff=;%s\n", nil},
		{"KOBLITZ_CPU_OFF=" + strings.Repeat("x,", 10000), nil},
		{"GODEBUG=cpu.avx512ifma=off", none[:1]},
		{"GODEBUG=cpu.adx=off", []string{"ADX"}},
		{"GODEBUG=cpu.avx2=off", none},
		{"GODEBUG=cpu.all=off", append(none, "ADX")},
		{"GODEBUG=cpu.avx512ifma=on", nil},
	} {
		var want []string
		for _, l := range inLanes {
			if l.has && !slices.Contains(tt.missing, l.name) {
				want = []string{l.name}
				break
			}
		}
		for _, name := range all {
			if !strings.HasPrefix(name, "lanes") && !slices.Contains(tt.missing, name) {
				want = append(want, name)
			}
		}
		if got := run(tt.setting); !slices.Equal(got, want) {
			t.Errorf("%.60q: %v, want %v", tt.setting, got, want)
		}
	}
}
