package ethereum

import "testing"

// TestFirstNumber flips the bits of the number of the first of two linked blocks. If the number
// becomes lower, there may be a gap, in which too many blocks pass for the time.
func TestFirstNumber(t *testing.T) {
	for _, test := range []struct {
		chain  Chain
		number uint64
		apart  uint64 // seconds between the two blocks
		passed int    // flips that are a possible gap
	}{
		{Mainnet, 23_456_789, 12, 0},
		{Mainnet, 23_456_789, 24, 1},      // 2 blocks in 24 s
		{Mainnet, 5_000_007, 15, 3},       // 2, 3 and 5 blocks in 15 s
		{Chain{ID: 10}, 5_000_007, 1, 11}, // any number of blocks in a second
	} {
		passed := 0
		for bit := range 64 {
			var l Links
			l.add(test.chain, link{Number: test.number ^ 1<<bit, Time: 1000, Hash: [32]byte{1}})
			broken, _, _ := l.add(test.chain, link{Number: test.number + 1, Time: 1000 + test.apart,
				Hash: [32]byte{2}, Parent: [32]byte{3}})
			if broken == "" {
				passed++
			}
		}
		if passed != test.passed {
			t.Errorf("chain %d, block %d, %d s: %d flips passed, want %d", test.chain.ID, test.number,
				test.apart, passed, test.passed)
		}
	}
}

// TestLinked checks the numbers of blocks without a parent and without a child, and which blocks
// break the chain. A block is a letter; its parent is the one before it in the alphabet. Capital
// letters are siblings of the small ones.
func TestLinked(t *testing.T) {
	for _, test := range []struct {
		blocks        string
		roots, leaves int64
		broken        bool
	}{
		{"abcd", 1, 1, false}, {"dcba", 1, 1, false}, {"cabd", 1, 1, false}, {"aabab", 1, 1, false},
		{"abdf", 3, 3, false}, {"abBc", 1, 2, false}, {"aBc", 2, 2, true}, {"cBa", 2, 2, true},
	} {
		var l Links
		var roots, leaves int64
		broken := false
		for _, c := range []byte(test.blocks) {
			n := c | 0x20
			text, r, f := l.add(Mainnet, link{Number: uint64(n), Time: 12 * uint64(n), Hash: [32]byte{c},
				Parent: [32]byte{n - 1}})
			roots, leaves, broken = roots+r, leaves+f, broken || text != ""
		}
		if roots != test.roots || leaves != test.leaves || broken != test.broken {
			t.Errorf("%s: %d roots, %d leaves, broken %v", test.blocks, roots, leaves, broken)
		}
	}
}
