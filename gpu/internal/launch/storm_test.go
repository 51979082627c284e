package launch

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
)

// TestStorm runs calls of all kinds from several goroutines on an Engine or a Team, while contexts
// end at random, driver calls fail at random, and Close is called in the middle. It checks that a
// call without an error has the host's answer, that nothing is written to a call after it has
// returned because its context ended, and that everything is freed.
func TestStorm(t *testing.T) {
	l := newLifetime(t)
	rounds := 8
	if !deep() {
		rounds = 2
	}
	options := Options{Memory: max(sumLimit(), setMemory), Crossover: 1}
	for round := range rounds {
		fakes := make([]*fake, 1+round%3)
		engines := make([]*Engine, len(fakes))
		for i := range fakes {
			var err error
			fakes[i] = &fake{}
			if engines[i], err = New(t.Context(), fakes[i], []byte(tableOfTests), options); err != nil {
				t.Fatal(err)
			}
			fakes[i].set(func() {
				fakes[i].call = func(what string) error {
					if what != "Close" && rand.IntN(200) == 0 {
						return errFake
					}
					return nil
				}
			})
		}
		team := NewTeam(engines)
		var all sync.WaitGroup
		closing := make(chan bool)
		for range 6 {
			all.Go(func() {
				for range 4 {
					l.storm(t, team, closing)
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		close(closing)
		if err := team.Close(); err != nil {
			t.Error(err)
		}
		for _, f := range fakes {
			f.leaks(t)
		}
		all.Wait()
		if err := team.Close(); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
}

// storm carries out a random call of l on d, with a context that may end at a random time.
func (l *lifetime) storm(t *testing.T, d device.Engine, closing chan bool) {
	i := rand.IntN(len(l.calls))
	c := *l.calls[i]
	c.Verdicts, c.Results = make([]device.Verdict, len(c.Verdicts)), make([]byte, len(c.Results))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rand.IntN(3) > 0 {
		timer := time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, cancel)
		defer timer.Stop()
	}
	err := d.Run(ctx, &c)
	verdicts, out := slices.Clone(c.Verdicts), bytes.Clone(c.Results)
	switch {
	case err == nil:
		if !slices.Equal(verdicts, l.want[i].Verdicts) || !bytes.Equal(out, l.want[i].Results) {
			t.Errorf("kind %d: other verdicts or results", c.Kind)
		}
	case errors.Is(err, errFake) || errors.Is(err, ErrLost):
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
	case errors.Is(err, ErrClosed):
		select {
		case <-closing:
		default:
			t.Error(err)
		}
	default:
		t.Errorf("kind %d: %v", c.Kind, err)
	}
	time.Sleep(time.Millisecond)
	if !slices.Equal(verdicts, c.Verdicts) || !bytes.Equal(out, c.Results) {
		t.Errorf("kind %d: something was written after the call", c.Kind)
	}
}
