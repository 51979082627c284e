package nostr_test

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/nostr"
)

func ExampleEvent() {
	key := koblitz.GenerateKey()
	defer key.Zeroize()
	e := nostr.Event{CreatedAt: 1700000000, Kind: 1, Tags: [][]string{{"t", "koblitz"}},
		Content: "good morning"}
	if err := e.Sign(key); err != nil {
		panic(err)
	}
	text, err := e.AppendJSON(nil)
	if err != nil {
		panic(err)
	}

	received, err := nostr.ParseEvent(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(received.Content, received.Verify())
	received.Content = "good night"
	fmt.Println(received.Verify())
	// Output:
	// good morning <nil>
	// nostr: the id is not the hash of the event
}

func ExampleBatch() {
	var texts [][]byte
	for i := range 100 {
		e := nostr.Event{Kind: 1, Content: fmt.Sprint("note ", i)}
		if err := e.Sign(koblitz.GenerateKey()); err != nil {
			panic(err)
		}
		if i == 7 {
			e.Sig[0] ^= 1
		}
		text, err := e.AppendJSON(nil)
		if err != nil {
			panic(err)
		}
		texts = append(texts, text)
	}
	texts[9] = []byte(`{"id":1}`)

	b := nostr.NewBatch(len(texts), nil)
	for _, text := range texts {
		b.Add(text) // Err returns the error later
	}
	verdicts := make([]batch.Verdict, b.Len())
	valid, err := b.Verify(context.Background(), verdicts)
	if err != nil {
		panic(err)
	}
	fmt.Println(valid, "valid")
	for i, v := range verdicts {
		if v != batch.Valid {
			fmt.Println(i, b.Err(i))
		}
	}
	// Output:
	// 98 valid
	// 7 nostr: the signature is not one of the id by the public key
	// 9 nostr: id, at offset 6: expected a string
}

func ExampleParser() {
	var p nostr.Parser
	p.Reset([]byte(`["EVENT", "subscription", {"kind": 70000}]`))
	_, err := p.Next()
	kind, subscription := p.Envelope()
	fmt.Println(kind, subscription)
	fmt.Println(err)
	// Output:
	// EVENT subscription
	// nostr: kind, at offset 35: kind is not between 0 and 65535
}
