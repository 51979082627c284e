// Relay checks events as they come to a nostr relay: as JSON, from many authors.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

func main() {
	var lines [][]byte
	for range 1000 {
		e := nostr.Event{CreatedAt: nostr.Now(), Kind: nostr.KindTextNote, Content: "Good morning."}
		if err := e.Sign(nostr.GeneratePrivateKey()); err != nil {
			log.Fatal(err)
		}
		line, err := json.Marshal(e)
		if err != nil {
			log.Fatal(err)
		}
		lines = append(lines, line)
	}
	begin := time.Now()
	for _, line := range lines {
		var e nostr.Event
		if err := json.Unmarshal(line, &e); err != nil {
			log.Fatal(err)
		}
		if ok, err := e.CheckSignature(); !ok || !e.CheckID() {
			log.Fatal("refused: ", err)
		}
	}
	fmt.Println(len(lines), "events in", time.Since(begin))
}
