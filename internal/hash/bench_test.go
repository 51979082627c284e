package hash

import (
	"fmt"
	"testing"
)

// BenchmarkOperations measures operations that are for one hash, or for as many as there are lanes.
func BenchmarkOperations(b *testing.B) {
	var x, y, out [32]byte
	var outs [Sixteen][32]byte
	var rows [Sixteen * RowSize]byte
	var tr Transcript
	var state [8][Sixteen]uint32
	var words [2][8][Sixteen]uint32
	var blocks [Sixteen]*[64]byte
	for j := range blocks {
		blocks[j] = new([64]byte)
	}
	var sponge [25][keccakLanes]uint64
	var rates [keccakLanes]*[keccakRate]byte
	for j := range rates {
		rates[j] = new([keccakRate]byte)
	}
	msg := make([]byte, 1352)
	for name, op := range map[string]func(){
		"Challenge":      func() { Challenge(&out, &x, &y, msg[:32]) },
		"Challenges/1":   func() { Challenges(&outs, &rows, 1) },
		"Challenges/4":   func() { Challenges(&outs, &rows, 4) },
		"Challenges/16":  func() { Challenges(&outs, &rows, Sixteen) },
		"Expand":         func() { Expand(&outs, &x, 7) },
		"Transcript":     func() { tr.Next()[0] = 1 },
		"Keccak256/64":   func() { Keccak256(&out, msg[:64]) },
		"Keccak256/1352": func() { Keccak256(&out, msg) },
		"compress":       func() { compress(&state, &words) },
		"loadEach":       func() { loadEach(&words, &blocks) },
		"absorb":         func() { absorb(&sponge, &rates, 1<<keccakLanes-1) },
		"Nonces": func() {
			var s Nonces
			s.Init(&x, &y, nil)
			s.Next(&out)
			s.Wipe()
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op()
			}
		})
	}
}

// BenchmarkEach measures the functions for many messages, and reports the time per message.
func BenchmarkEach(b *testing.B) {
	for _, f := range each {
		for _, size := range []int{32, 64, 110, 190, 250, 1000, 1352} {
			for _, count := range []int{1, 2, 4, 8, 16, 64} {
				b.Run(fmt.Sprintf("%s/%d/%d", f.name, size, count), func(b *testing.B) {
					messages, out := make([][]byte, count), make([][32]byte, count)
					for i := range messages {
						messages[i] = make([]byte, size)
					}
					b.ReportAllocs()
					for b.Loop() {
						f.all(out, messages)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/message")
				})
			}
		}
	}
}
