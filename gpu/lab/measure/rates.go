package measure

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// These constants equal RATE_CHAINS and RATE_TURN in bench_rate.h.
const (
	rateChains = 8
	rateTurn   = 4
)

// A rate is a kernel that repeats one instruction, to measure how often the device executes it.
type rate struct {
	id, title string
	kernel    string
	each      int // number of instructions in an iteration
	results   int // number of words in the result of a work item
	want      func(seed uint32, turns int) []uint32
}

// rates returns the instructions to measure, named as NVIDIA names them.
func rates() []rate {
	return []rate{
		{"imad", "IMAD: 32 × 32 + 32 bits, the lower half", "k_bench_imad", rateChains * rateTurn, 1,
			wantIMAD},
		{"imad-wide", "IMAD.WIDE: 32 × 32 + 64 bits", "k_bench_wide", rateChains * rateTurn, 2,
			wantWide},
		{"imad-wide-x", "IMAD.WIDE.X: the same with carries in rows of four", "k_bench_wide_x",
			2 * 4 * rateTurn, 9, wantWideX},
	}
}

// wantIMAD computes the result that the kernel k_bench_imad must have.
func wantIMAD(seed uint32, turns int) []uint32 {
	sum := uint32(0)
	for j := range uint32(rateChains) {
		x := seed + j
		for range turns * rateTurn {
			x = x*(seed|1) + x
		}
		sum += x
	}
	return []uint32{sum}
}

// wantWide computes the result that the kernel k_bench_wide must have.
func wantWide(seed uint32, turns int) []uint32 {
	var low, high uint32
	for j := range uint32(rateChains) {
		x := uint64(seed|1)<<32 | uint64(seed+j)
		for range turns * rateTurn {
			x += x >> 32 * (x & (1<<32 - 1))
		}
		low, high = low+uint32(x), high+uint32(x>>32)
	}
	return []uint32{low, high}
}

// wantWideX computes the result that the kernel k_bench_wide_x must have.
func wantWideX(seed uint32, turns int) []uint32 {
	// A sum is a number of four 64-bit limbs. The field above counts the carries out of the top
	// limb.
	type sum struct {
		limbs [4]uint64
		above uint32
	}
	var sums [2]sum
	var factors [4]uint64
	for s := range sums {
		first := seed + uint32(9*s)
		for i := range uint32(4) {
			sums[s].limbs[i] = uint64(first+2*i+1)<<32 | uint64(first+2*i)
		}
		sums[s].above = first + 8
	}
	for i := range factors {
		factors[i] = uint64(seed ^ uint32(i))
	}
	row := func(s *sum, a uint64) {
		carry := uint64(0)
		for i := range s.limbs {
			s.limbs[i], carry = bits.Add64(s.limbs[i], a*factors[i], carry)
		}
		s.above += uint32(carry)
	}
	for range turns * rateTurn {
		first, second := sums[0].limbs[3]>>32, sums[1].limbs[3]>>32
		row(&sums[0], second)
		row(&sums[1], first)
	}
	out := make([]uint32, 9)
	for i := range 4 {
		a, b := sums[0].limbs[i], sums[1].limbs[i]
		out[2*i], out[2*i+1] = uint32(a)+uint32(b), uint32(a>>32)+uint32(b>>32)
	}
	out[8] = sums[0].above + sums[1].above
	return out
}

// rates measures how many multiplications the device executes per second.
func (b *bench) rates(ctx context.Context) error {
	for _, r := range rates() {
		if !b.o.wants(Rates, r.id) || !b.next(r.id, b.items()) {
			continue
		}
		if err := b.skip(r.id, b.items(), b.rate(ctx, &r)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) rate(ctx context.Context, r *rate) error {
	n := b.items()
	in := newInputs(b.o.Seed, n)
	h := b.hold()
	defer func() { h.free(b.timed, b.plain) }()
	seeds, result := make([]byte, 4*n), make([]byte, 4*n*r.results)
	_, _ = in.random("seeds").Read(seeds) // never fails
	args := []any{uint32(n), uint32(0), h.write(ctx, seeds)}
	row := Row{Section: Rates, ID: r.id, Title: r.title, Size: n, Unit: "op",
		Count: float64(n) * float64(r.each)}
	return b.turns(ctx, h, row, r.kernel, args, result, func(turns int) error {
		for _, i := range in.few(n) {
			for j, want := range r.want(binary.LittleEndian.Uint32(seeds[4*i:]), turns) {
				if got := binary.LittleEndian.Uint32(result[4*(j*n+i):]); got != want {
					return fmt.Errorf("%w: word %d of item %d after %d turns is %#x, not %#x",
						ErrResult, j, i, turns, got, want)
				}
			}
		}
		return nil
	})
}
