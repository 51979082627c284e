package contract

import (
	"fmt"
	"math/rand/v2"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// absorptions returns calls of the kernel that absorbs blocks into eight Keccak states and permutes
// the states. The addresses of the blocks are consecutive, permuted, with gaps, or all the same.
// The states are new, hold earlier blocks, or are a mixture of both.
func absorptions(r *rand.Rand, n int) []*Call {
	const states, rate = 8, 17
	strides := []int{rate, rate + 3, 0, 1, 8}
	keeps := []uint64{0xff, 0, 0xa5, 0x5a, 1, 0x7e}
	var calls []*Call
	for i := range n {
		stride, keep := strides[i%len(strides)], keeps[i%len(keeps)]
		state := make([]uint64, 25*states)
		data := make([]uint64, (states-1)*stride+rate)
		fillWords(r, i, state, data)
		pointers := make([]uint64, states)
		for j, at := range r.Perm(states) {
			pointers[j] = uint64(8 * stride * at)
		}
		calls = append(calls, &Call{
			Name: fmt.Sprintf("blocks every %d words, keep %#x", stride, keep),
			Buffers: []Buffer{
				{Param: "state", Words: len(state), In: state, Out: true},
				{Param: "data", Words: len(data), In: data, NoParam: true},
				{Param: "blocks", Words: len(pointers), In: pointers, Public: true, Into: "data", Dense: true},
			},
			Numbers: []Number{{Param: "keep", Value: keep}},
			Check: func(v Values) error {
				for j := range states {
					var a [5][5]uint64
					for k := range 25 {
						if keep>>j&1 == 1 {
							a[k%5][k/5] = state[k*states+j]
						}
						if k < rate {
							a[k%5][k/5] ^= data[int(pointers[j])/8+k]
						}
					}
					reference.KeccakPermute(&a)
					for k := range 25 {
						if got, want := v["state"][k*states+j], a[k%5][k/5]; got != want {
							return fmt.Errorf("lane %d of state %d is %#x, want %#x", k, j, got, want)
						}
					}
				}
				return nil
			},
		})
	}
	return calls
}
