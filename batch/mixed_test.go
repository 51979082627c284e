package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestMixedConcurrently checks that calls of all kinds, made in random order from several
// goroutines that share pools of memory, give the results of the functions for one signature. Some
// calls are cancelled or use a faulty device.
func TestMixedConcurrently(t *testing.T) {
	rounds := 60
	if !cputest.Deep() {
		rounds = 10
	}
	rr := rand.New(rand.NewPCG(77, 77))
	onlyS := slices.DeleteFunc(slices.Clone(schnorrRows()), func(r row) bool { return !isValid(r) })
	onlyE := slices.DeleteFunc(slices.Clone(ecdsaRows()), func(r row) bool { return !isValid(r) })
	onlyLow := slices.DeleteFunc(slices.Clone(ecdsaRows()),
		func(r row) bool { return r.low != batch.Valid })
	allS, allE := schnorrRows(), ecdsaRows()
	idsOf := map[string]byte{}
	for i, id := range recoveryIDs(allE) {
		idsOf[string(allE[i].key)+string(allE[i].msg)+string(allE[i].sig)] = id
	}
	allR := recoverRows()
	queues := []*batch.Queue{batch.NewQueue(&batch.QueueOptions{S: batch.AnyS}),
		batch.NewQueue(&batch.QueueOptions{Exact: true, MaxWaiting: 2, S: batch.LowS}),
		batch.NewQueue(&batch.QueueOptions{Workers: 1, S: batch.AnyS})}
	fs := faults(rr)
	names := []string{}
	for k := range fs {
		if k != "calls all rows good" {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	var checked, calls atomic.Int64
	each(t, func(t *testing.T) {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 5))
				accS, accE, accL, accX := batch.NewSchnorr(10, nil), batch.NewECDSA(0, batch.AnyS, nil),
					batch.NewECDSA(0, batch.LowS, nil), batch.NewECDSA(5, batch.AnyS,
						&batch.Options{Exact: true, Workers: 3})
				var reused []batch.Verdict
				for range rounds {
					n := []int{1, 3, 8, 9, 16, 17, 33, 50, 64, 65, 130, 200, 257, 500, 1030}[r.IntN(15)]
					pickOf := func(good, all []row) []row {
						rows := make([]row, n)
						start := r.IntN(len(good))
						for i := range rows {
							rows[i] = good[(start+i)%len(good)]
						}
						switch r.IntN(5) {
						case 0:
							for i := range rows {
								rows[i] = all[r.IntN(len(all))]
							}
						case 1:
							for range 1 + r.IntN(4) {
								rows[r.IntN(n)] = all[r.IntN(len(all))]
							}
						case 2:
							lo := r.IntN(n + 1)
							for i := lo; i < n; i++ {
								rows[i] = all[r.IntN(len(all))]
							}
						}
						return rows
					}
					var ctx context.Context
					cancelled := false
					if r.IntN(3) == 0 {
						c := &countdown{Context: context.Background()}
						c.left.Store(int64(r.IntN(40)))
						ctx, cancelled = c, true
					}
					check := func(what string, rows []row, low bool, v []batch.Verdict, err error) {
						calls.Add(1)
						if err != nil && !cancelled || len(v) != len(rows) {
							t.Errorf("%s: %v, %d", what, err, len(v))
							return
						}
						for i := range rows {
							w := rows[i].want
							if low {
								w = rows[i].low
							}
							if v[i] == batch.Unchecked && err != nil {
								continue
							}
							checked.Add(1)
							if v[i] != w {
								t.Errorf("%s: row %d of %d (%s): %v want %v", what, i, n, rows[i].what, v[i], w)
								return
							}
						}
					}
					answer := func(what string, rows []row, low, got bool, err error) {
						calls.Add(1)
						want := !slices.ContainsFunc(rows, func(x row) bool {
							if low {
								return x.low != batch.Valid
							}
							return x.want != batch.Valid
						})
						if err != nil && (!cancelled || got) || err == nil && got != want {
							t.Errorf("%s: %d rows: %v, %v, want %v", what, n, got, err, want)
						}
					}
					o := &batch.Options{Workers: r.IntN(4), Exact: r.IntN(4) == 0}
					if r.IntN(3) == 0 {
						o.Device = faulty(fs[names[r.IntN(len(names))]]).Device()
					}
					dirtyV := slices.Repeat([]batch.Verdict{batch.Valid}, n)
					low := r.IntN(2) == 0
					switch r.IntN(6) {
					case 0, 1:
						rows := pickOf(onlyS, allS)
						s := batch.SchnorrRows{Messages: column(r, rows, msg),
							Keys:       batch.EncodedKeys(column(r, rows, key)),
							Signatures: column(r, rows, sig)}
						_, err := s.Verify(ctx, dirtyV, o)
						check("schnorr", rows, false, dirtyV, err)
						got, err := s.VerifyAll(ctx, n, o)
						answer("schnorr all", rows, false, got, err)
					case 2, 3:
						good := onlyE
						if low {
							good = onlyLow
						}
						rows := pickOf(good, allE)
						e := batch.ECDSARows{Hashes: column(r, rows, msg),
							Keys:       batch.EncodedKeys(column(r, rows, key)),
							Signatures: column(r, rows, sig), S: rule(low)}
						if mode := r.IntN(4); mode > 0 {
							ids := make([]byte, n)
							for i, x := range rows {
								ids[i] = idsOf[string(x.key)+string(x.msg)+string(x.sig)]
								if mode == 2 && r.IntN(20) == 0 {
									ids[i] = byte(r.IntN(4))
								}
								if mode == 3 && r.IntN(50) == 0 {
									ids[i] = byte(r.IntN(256))
									if ids[i] > 3 {
										rows[i].want, rows[i].low = batch.Malformed, batch.Malformed
									}
								}
							}
							e.RecoveryIDs = batch.Packed(ids, 1)
							if r.IntN(6) == 0 && mode < 3 {
								e.RecoveryIDs = batch.Same([]byte{byte(r.IntN(4))})
							}
						}
						_, err := e.Verify(ctx, dirtyV, o)
						check("ecdsa", rows, low, dirtyV, err)
						got, err := e.VerifyAll(ctx, n, o)
						answer("ecdsa all", rows, low, got, err)
					case 4:
						rows := pickOf(onlyS, allS)
						accS.Reset()
						for _, x := range rows {
							if k, err := koblitz.ParseXOnlyPublicKey(x.key); err == nil && r.IntN(2) == 0 {
								accS.Add(k, x.msg, x.sig)
							} else {
								accS.AddBytes(x.key, x.msg, x.sig)
							}
							if r.IntN(200) == 0 {
								accS.VerifyAll(ctx)
							}
						}
						got, err := accS.VerifyAll(ctx)
						answer("acc schnorr", rows, false, got, err)
						reused = slices.Grow(reused[:0], n)[:n]
						_, err = accS.Verify(ctx, reused)
						check("acc schnorr", rows, false, reused, err)
						rows = pickOf(onlyE, allE)
						for k, acc := range []*batch.ECDSA{accE, accL, accX} {
							acc.Reset()
							for i, x := range rows {
								id := idsOf[string(x.key)+string(x.msg)+string(x.sig)]
								switch {
								case r.IntN(100) == 0:
									acc.AddRecoverableBytes(x.key, x.msg,
										append(slices.Clone(x.sig), id^byte(1+r.IntN(3))))
								case i%7 != 0:
									acc.AddRecoverableBytes(x.key, x.msg, append(slices.Clone(x.sig), id))
								default:
									acc.AddBytes(x.key, x.msg, x.sig)
								}
							}
							got, err := acc.VerifyAll(ctx)
							answer("acc ecdsa", rows, k == 1, got, err)
							_, err = acc.Verify(ctx, reused)
							check("acc ecdsa", rows, k == 1, reused, err)
						}
					case 5:
						// This case recovers keys, and calls the methods of queues.
						hashes, sigs := make([][]byte, n), make([][]byte, n)
						rows := make([]int, n)
						for i := range rows {
							rows[i] = r.IntN(len(allR))
							hashes[i], sigs[i] = allR[rows[i]].hash, allR[rows[i]].sig
						}
						dst := bytes.Repeat([]byte{7}, 65*n)
						_, err := batch.RecoverRows{Hashes: spread(r, 0, hashes),
							Signatures: spread(r, 3, sigs), S: batch.AnyS}.Recover(ctx, dst, dirtyV,
							&batch.Options{Workers: o.Workers, Device: o.Device})
						if err != nil && !cancelled {
							t.Error(err)
						}
						for i, k := range rows {
							if dirtyV[i] == batch.Unchecked && err != nil {
								continue
							}
							if dirtyV[i] != allR[k].want || !bytes.Equal(dst[65*i:65*i+65], allR[k].key) {
								t.Error("recover", i, dirtyV[i], allR[k].want)
								break
							}
						}
						for range 20 {
							x := allS[r.IntN(len(allS))]
							q := r.IntN(len(queues))
							if ok, err := queues[q].VerifySchnorrBytes(ctx, x.key, x.msg, x.sig); err == nil &&
								ok != isValid(x) || err != nil && !cancelled && err != batch.ErrBusy {
								t.Error("queue schnorr", ok, err)
							}
							y := allE[r.IntN(len(allE))]
							want := y.want
							if q == 1 {
								want = y.low
							}
							if ok, err := queues[q].VerifyECDSABytes(ctx, y.key, y.msg, y.sig); err == nil &&
								ok != (want == batch.Valid) || err != nil && !cancelled && err != batch.ErrBusy {
								t.Error("queue ecdsa", ok, err)
							}
							checked.Add(2)
						}
					}
				}
			})
		}
		wg.Wait()
	})
	t.Logf("%d calls, %d verdicts", calls.Load(), checked.Load())
	if checked.Load() < 1000 {
		t.Error("hardly a verdict was looked at")
	}
}
