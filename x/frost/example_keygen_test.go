package frost_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// Two participants generate a key that needs both of them, and derive its taproot output.
func ExampleStartKeyGen() {
	const t, n = 2, 2
	session := []byte("an example of 28 November") // equal for all participants, and used once
	var states [n]*frost.KeyGen
	var contributions []*frost.Contribution
	for id := range states {
		var err error
		if states[id], err = frost.StartKeyGen(uint32(id), t, n, session); err != nil {
			fmt.Println(err)
			return
		}
		contributions = append(contributions, states[id].Contribution()) // sent to all
	}

	// Each participant sends a share to each other one, over a confidential channel.
	var received [n][]*koblitz.PrivateKey
	for _, state := range states {
		shares, err := state.Shares(contributions)
		if err != nil {
			fmt.Println(err) // names the participants whose contributions are invalid
			return
		}
		for id, share := range shares {
			received[id] = append(received[id], share)
		}
	}
	var results [n]*frost.KeyShare
	for id, state := range states {
		var err error
		if results[id], err = state.Finish(received[id]); err != nil {
			fmt.Println(err) // names the participants whose shares are wrong
			return
		}
	}

	// The participants compare their transcripts before they use the key. An output without scripts
	// commits to no hidden script path.
	fmt.Println(results[0].Transcript == results[1].Transcript)
	key, err := results[0].Commitment.PublicKey()
	if err != nil {
		fmt.Println(err)
		return
	}
	output, err := key.XOnlyPublicKey().TaprootTweak(nil)
	fmt.Println(output != nil, err)
	// Output:
	// true
	// true <nil>
}
