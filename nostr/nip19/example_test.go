package nip19_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/nostr/nip19"
)

func Example() {
	text := []byte("nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5")
	key, err := nip19.ParseSecret(text)
	if err != nil {
		panic(err)
	}
	clear(text)
	defer key.Zeroize()
	fmt.Println(nip19.EncodePublic(key.XOnlyPublicKey()))
	// Output: npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg <nil>
}
