package nostr_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/nostr"
)

// messages returns n messages ["EVENT",{…}] with signed notes, and the ids in hexadecimal.
func messages(t testing.TB, n int) (texts [][]byte, ids []string) {
	t.Helper()
	keys := make([]*koblitz.PrivateKey, min(n, 300))
	for i := range keys {
		keys[i] = koblitz.GenerateKey()
	}
	for i := range n {
		e := &nostr.Event{CreatedAt: 1700000000, Kind: 1, Tags: [][]string{{"t", fmt.Sprint(i)}},
			Content: strings.Repeat("some words ", i%30)}
		if err := e.Sign(keys[i%len(keys)]); err != nil {
			t.Fatal(err)
		}
		text, err := e.AppendJSON([]byte(`["EVENT",`))
		if err != nil {
			t.Fatal(err)
		}
		texts, ids = append(texts, append(text, ']')), append(ids, hex.EncodeToString(e.ID[:]))
	}
	return texts, ids
}

// serve starts a relay and connects n clients to it.
func serve(t testing.TB, n int) (clients []*websocket.Conn, stored *atomic.Int64) {
	t.Helper()
	stored = new(atomic.Int64)
	r := &relay{batch.NewQueue(nil), func(*nostr.Event) { stored.Add(1) }}
	server := httptest.NewServer(r)
	t.Cleanup(func() {
		for _, c := range clients {
			c.CloseNow()
		}
		server.Close()
		r.queue.Close()
	})
	for range n {
		c, _, err := websocket.Dial(context.Background(), server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	return clients, stored
}

// TestRelayConcurrent sends valid, damaged and malformed events by several clients at the same
// time, and checks the answers.
func TestRelayConcurrent(t *testing.T) {
	const n = 60
	texts, ids := messages(t, n)
	clients, stored := serve(t, 4)
	var wg sync.WaitGroup
	for _, c := range clients {
		wg.Go(func() {
			ctx := context.Background()
			for i, text := range texts {
				switch i % 3 {
				case 1:
					text = []byte(strings.Replace(string(text), "1700000000", "1700000001", 1))
				case 2:
					text = text[:len(text)-1]
				}
				if err := c.Write(ctx, websocket.MessageText, text); err != nil {
					t.Error(err)
					return
				}
			}
			var answers []string
			for range texts {
				_, answer, err := c.Read(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				answers = append(answers, string(answer))
			}
			for i, id := range ids {
				want := `["NOTICE","nostr: at offset `
				switch i % 3 {
				case 0:
					want = `["OK","` + id + `",true`
				case 1:
					want = `["OK","` + id + `",false,"invalid: `
				}
				found := func(answer string) bool { return strings.HasPrefix(answer, want) }
				if !slices.ContainsFunc(answers, found) {
					t.Errorf("no answer %s…", want)
				}
			}
		})
	}
	wg.Wait()
	if got, want := stored.Load(), int64(len(clients)*n/3); got != want {
		t.Errorf("%d events stored, want %d", got, want)
	}
}

// BenchmarkRelay sends b.N events at a constant rate to a relay on the same machine, by 50 clients,
// and measures the time from the moment at which an event is due until its sender has the answer:
//
//	go test -run '^$' -bench Relay/1$ -benchtime 100x
//	go test -run '^$' -bench Relay/100$ -benchtime 3000x
//	go test -run '^$' -bench Relay/10000$ -benchtime 100000x
func BenchmarkRelay(b *testing.B) {
	for _, rate := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			texts, ids := messages(b, min(b.N, 10_000))
			index := map[string]int{}
			for i, id := range ids {
				index[id] = i
			}
			clients, stored := serve(b, 50)
			due := make([]atomic.Int64, len(texts)) // in nanoseconds after start
			times := make(chan time.Duration, b.N)
			b.ResetTimer()
			start := time.Now()
			for _, c := range clients {
				go func() {
					for {
						_, answer, err := c.Read(context.Background())
						if err != nil {
							return
						}
						if !strings.HasSuffix(string(answer), `,true,""]`) {
							b.Errorf("%s", answer)
						}
						i := index[string(answer[7:71])]
						times <- time.Since(start) - time.Duration(due[i].Load())
					}
				}()
			}
			for i := range b.N {
				at := time.Duration(i) * time.Second / time.Duration(rate)
				time.Sleep(at - time.Since(start))
				due[i%len(due)].Store(int64(at))
				err := clients[i%len(clients)].Write(context.Background(), websocket.MessageText,
					texts[i%len(texts)])
				if err != nil {
					b.Fatal(err)
				}
			}
			var all []time.Duration
			for range b.N {
				all = append(all, <-times)
			}
			b.StopTimer()
			slices.Sort(all)
			b.ReportMetric(float64(all[b.N/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(all[b.N*99/100].Microseconds()), "p99-µs")
			if stored.Load() != int64(b.N) {
				b.Errorf("%d of %d events stored", stored.Load(), b.N)
			}
		})
	}
}
