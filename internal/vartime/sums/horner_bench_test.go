package sums_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/profile/profiletest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// BenchmarkProfileSerialPerWorker measures SerialPerWorker of the profile: the time to add up the
// sums of all workers, divided by the number of workers, in percent of the time to verify a row
// without an equation.
func BenchmarkProfileSerialPerWorker(b *testing.B) {
	const rows = 64
	var data [3][]byte
	c := reference.Secp256k1()
	for i := range rows {
		key, message := big.NewInt(int64(i+1)), make([]byte, 32)
		sig, _ := reference.SignBIP340(key, message, message)
		x := c.ScalarMult(key, c.G).X.FillBytes(make([]byte, 32))
		for k, field := range [][]byte{message, x, sig} {
			data[k] = append(data[k], field...)
		}
	}
	call := &device.Call{Kind: device.Schnorr, Rows: rows, Verdicts: make([]device.Verdict, rows)}
	for k, width := range []int{32, 32, 64} {
		call.Columns[k] = device.Column{Data: data[k], Stride: width}
	}
	verify := func() {
		valid, err := engine.Do(context.Background(), call, engine.Options{Workers: 1, Exact: true})
		if valid != rows || err != nil {
			panic(fmt.Sprint("rows that are valid: ", valid, err))
		}
	}
	for _, workers := range []int{1, 2, 4, 8, 16} {
		b.Run(fmt.Sprint("SerialPerWorker/workers=", workers), func(b *testing.B) {
			t := profiletest.Medians(b.N, nil, verify, sums.Horner(b, workers))
			b.ReportMetric(100*t[1]/float64(workers)/(t[0]/rows), "percent")
			b.ReportMetric(float64(profile.Current().SerialPerWorker), "profile")
		})
	}
}
