package koblitz_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/crew/crewtest"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/silentpay"
)

// An idle is an engine that computes nothing until the context ends.
type idle struct{}

func (idle) Accepts(device.Kind, device.Rules, int) bool   { return true }
func (idle) Run(ctx context.Context, _ *device.Call) error { return ctx.Err() }

// TestContexts calls every function with a context.
func TestContexts(t *testing.T) {
	const n = 300
	no := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	verdicts := make([]batch.Verdict, n)
	rows := func(f func(context.Context, []batch.Verdict) (int, error)) crewtest.Call {
		return func(ctx context.Context) (count, valid int, err error) {
			clear(verdicts)
			count, err = f(ctx, verdicts)
			for _, v := range verdicts {
				if v == batch.Valid {
					valid++
				}
			}
			return count, valid, err
		}
	}
	all := func(f func(context.Context) (bool, error)) crewtest.Call {
		return func(ctx context.Context) (int, int, error) { return crewtest.One(f(ctx)) }
	}
	room := make([]byte, 65*n)
	write := func(
		f func(context.Context, []byte, []batch.Verdict, *batch.Options) (int, error), size int,
	) crewtest.Call {
		return rows(func(ctx context.Context, v []batch.Verdict) (int, error) {
			return f(ctx, room[:size*n], v, &batch.Options{Workers: 2})
		})
	}
	secret := func(
		f func(context.Context, []byte, []batch.Verdict, *batch.SecretOptions) (int, error), size int,
	) crewtest.Call {
		return rows(func(ctx context.Context, v []batch.Verdict) (int, error) {
			return f(ctx, room[:size*n], v, &batch.SecretOptions{Workers: 2})
		})
	}
	verify := func(
		f func(context.Context, []batch.Verdict, *batch.Options) (int, error),
	) crewtest.Call {
		return rows(func(ctx context.Context, v []batch.Verdict) (int, error) {
			return f(ctx, v, &batch.Options{Workers: 2})
		})
	}
	verifyAll := func(f func(context.Context, int, *batch.Options) (bool, error)) crewtest.Call {
		return all(func(ctx context.Context) (bool, error) {
			return f(ctx, n, &batch.Options{Workers: 2})
		})
	}

	numbers, messages := make([]byte, 32*n), make([]byte, 32*n)
	for i := range n {
		binary.BigEndian.PutUint64(numbers[32*i+24:], uint64(i+1))
		sum := sha256.Sum256(numbers[32*i:][:32])
		copy(messages[32*i:], sum[:])
	}
	secrets, hashes := batch.Packed(numbers, 32), batch.Packed(messages, 32)
	ctx := context.Background()
	keys33, bip340, recoverable := make([]byte, 33*n), make([]byte, 64*n), make([]byte, 65*n)
	_, err := batch.SecretRows{Secrets: secrets}.PublicKeys(ctx, keys33, verdicts, nil)
	no(err)
	schnorrSign := batch.SchnorrSignRows{Secrets: secrets, Messages: hashes}
	ecdsaSign := batch.ECDSASignRows{Secrets: secrets, Hashes: hashes}
	_, err = schnorrSign.Sign(ctx, bip340, verdicts, nil)
	no(err)
	_, err = ecdsaSign.Sign(ctx, recoverable, verdicts, nil)
	no(err)
	keys, xkeys := batch.Packed(keys33, 33), batch.Strided(keys33[1:], 32, 33)
	ecdsaSigs := batch.Strided(recoverable, 64, 65)

	schnorrBatch, ecdsaBatch := batch.NewSchnorr(n, nil), batch.NewECDSA(n, batch.LowS, nil)
	scalars, points := make([]group.Scalar, n), make([]group.Point, n)
	points64 := make([]byte, 64*n)
	for i := range n {
		message := messages[32*i:][:32]
		schnorrBatch.AddBytes(keys33[33*i+1:][:32], message, bip340[64*i:][:64])
		ecdsaBatch.AddBytes(keys33[33*i:][:33], message, recoverable[65*i:][:64])
		scalars[i].SetUint64(uint64(i + 1))
		points[i].ScalarBaseMult(&scalars[i])
		key, err := koblitz.ParsePublicKey(keys33[33*i:][:33])
		no(err)
		copy(points64[64*i:], key.UncompressedBytes()[1:])
	}
	bases, err := msm.Prepare(points, 1<<20)
	no(err)
	sum := func(f func(context.Context) (group.Point, error)) crewtest.Call {
		return all(func(ctx context.Context) (bool, error) {
			_, err := f(ctx)
			return err == nil, err
		})
	}

	queue := batch.NewQueue(&batch.QueueOptions{S: batch.LowS})
	defer queue.Close()
	key, err := koblitz.ParsePublicKey(keys33[:33])
	no(err)
	sig, err := ecdsa.ParseSignature(recoverable[:64])
	no(err)

	scanKey, err := silentpay.NewScanKey(koblitz.GenerateKey())
	no(err)
	receiver, err := silentpay.NewReceiver(scanKey, koblitz.GenerateKey().PublicKey())
	no(err)
	scanner, err := silentpay.NewScanner(receiver)
	no(err)
	paid := silentpay.Transactions{Tweaks: keys33}
	for i := range n {
		tweak, err := koblitz.ParsePublicKey(keys33[33*i:][:33])
		no(err)
		candidates, err := receiver.Candidates(tweak, 0)
		no(err)
		paid.Outputs = append(paid.Outputs, candidates[0].Key[:]...)
		paid.Ends = append(paid.Ends, i+1)
	}

	recoverRows := batch.RecoverRows{Hashes: hashes, Signatures: batch.Packed(recoverable, 65),
		S: batch.LowS}
	ecdsaRows := batch.ECDSARows{Hashes: hashes, Keys: batch.EncodedKeys(keys), Signatures: ecdsaSigs,
		S: batch.LowS}
	schnorrRows := batch.SchnorrRows{Messages: hashes, Keys: batch.EncodedKeys(xkeys),
		Signatures: batch.Packed(bip340, 64)}
	tweakChecks := batch.TweakCheckRows{Keys: xkeys, Tweaks: batch.Same(make([]byte, 32)),
		Outputs: xkeys, Parities: batch.Same([]byte{0})}
	const half = n / 2
	crewtest.Contexts(t, map[string]crewtest.Call{
		"batch.ECDHRows.SharedX":      secret(batch.ECDHRows{Secrets: secrets, Keys: keys}.SharedX, 32),
		"batch.ECDSASignRows.Sign":    secret(ecdsaSign.Sign, 65),
		"batch.SchnorrSignRows.Sign":  secret(schnorrSign.Sign, 64),
		"batch.SecretRows.PublicKeys": secret(batch.SecretRows{Secrets: secrets}.PublicKeys, 33),

		"batch.EllswiftRows.XOnlyPublicKeys": write(
			batch.EllswiftRows{Encodings: batch.Packed(bip340, 64)}.XOnlyPublicKeys, 32),
		"batch.KeyRows.Decompress":            write(batch.KeyRows{Keys: keys}.Decompress, 65),
		"batch.RecoverRows.EthereumAddresses": write(recoverRows.EthereumAddresses, 20),
		"batch.RecoverRows.Recover":           write(recoverRows.Recover, 65),
		"batch.ScalarRows.PublicKeysVartime": write(
			batch.ScalarRows{Scalars: secrets}.PublicKeysVartime, 65),
		"batch.TweakRows.AddVartime": write(batch.TweakRows{Keys: keys, Tweaks: hashes}.AddVartime, 65),

		"batch.ECDSA.Verify":          rows(ecdsaBatch.Verify),
		"batch.ECDSARows.Verify":      verify(ecdsaRows.Verify),
		"batch.Schnorr.Verify":        rows(schnorrBatch.Verify),
		"batch.SchnorrRows.Verify":    verify(schnorrRows.Verify),
		"batch.TweakCheckRows.Verify": verify(tweakChecks.Verify),

		"batch.ECDSA.VerifyAll":          all(ecdsaBatch.VerifyAll),
		"batch.ECDSARows.VerifyAll":      verifyAll(ecdsaRows.VerifyAll),
		"batch.Schnorr.VerifyAll":        all(schnorrBatch.VerifyAll),
		"batch.SchnorrRows.VerifyAll":    verifyAll(schnorrRows.VerifyAll),
		"batch.TweakCheckRows.VerifyAll": verifyAll(tweakChecks.VerifyAll),

		"batch.Queue.ExplainECDSA": all(func(ctx context.Context) (bool, error) {
			v, _, err := queue.ExplainECDSA(ctx, keys33[:33], messages[:32], recoverable[:64])
			return v == batch.Valid, err
		}),
		"batch.Queue.ExplainSchnorr": all(func(ctx context.Context) (bool, error) {
			v, _, err := queue.ExplainSchnorr(ctx, keys33[1:33], messages[:32], bip340[:64])
			return v == batch.Valid, err
		}),
		"batch.Queue.VerifyECDSA": all(func(ctx context.Context) (bool, error) {
			return queue.VerifyECDSA(ctx, key, messages[:32], sig)
		}),
		"batch.Queue.VerifyECDSABytes": all(func(ctx context.Context) (bool, error) {
			return queue.VerifyECDSABytes(ctx, keys33[:33], messages[:32], recoverable[:64])
		}),
		"batch.Queue.VerifySchnorr": all(func(ctx context.Context) (bool, error) {
			return queue.VerifySchnorr(ctx, key.XOnlyPublicKey(), messages[:32], bip340[:64])
		}),
		"batch.Queue.VerifySchnorrBytes": all(func(ctx context.Context) (bool, error) {
			return queue.VerifySchnorrBytes(ctx, keys33[1:33], messages[:32], bip340[:64])
		}),

		"device.Device.Run": all(func(ctx context.Context) (bool, error) {
			err := enginetest.Device(idle{}).Run(ctx, new(device.Call))
			return err == nil, err
		}),

		"msm.Accumulator.AddVartime": all(func(ctx context.Context) (bool, error) {
			err := msm.NewAccumulator(nil).AddVartime(ctx, scalars, points)
			return err == nil, err
		}),
		"msm.Accumulator.SumVartime": sum(func(ctx context.Context) (group.Point, error) {
			a := msm.NewAccumulator(nil)
			no(a.AddVartime(context.Background(), scalars[:half], points[:half]))
			return a.SumVartime(ctx)
		}),
		"msm.Bases.SumVartime": sum(func(ctx context.Context) (group.Point, error) {
			return bases.SumVartime(ctx, scalars, nil)
		}),
		"msm.PackedSumVartime": sum(func(ctx context.Context) (group.Point, error) {
			return msm.PackedSumVartime(ctx, numbers, points64, nil)
		}),
		"msm.SumVartime": sum(func(ctx context.Context) (group.Point, error) {
			return msm.SumVartime(ctx, scalars, points, nil)
		}),

		"silentpay.Scanner.Scan": rows(func(ctx context.Context, v []batch.Verdict) (int, error) {
			found, err := scanner.Scan(ctx, paid, v, &batch.SecretOptions{Workers: 2})
			return len(found), err
		}),
	}, apiFiles(t)...)
}
