//go:build race

package schnorr_test

// race is the number of allocations that the race detector adds to a read of
// crypto/rand.
const race = 1
