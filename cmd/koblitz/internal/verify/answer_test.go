package verify

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// answers records the calls that Answer makes. Its method answer serves as Answer's argument
// onBatch, and records for each call how many rows had been passed to onRow before.
type answers struct {
	rows  int
	after []int
	err   error // returned by the third answer
}

func (a *answers) row(*Row) { a.rows++ }

func (a *answers) answer(b reading.Batch) error {
	a.after = append(a.after, a.rows)
	if len(a.after) == 3 {
		return a.err
	}
	return nil
}

// TestAnswer checks that onBatch is called after the rows of each batch, and that nothing is called
// after the first error.
func TestAnswer(t *testing.T) {
	errRead, errWrite := errors.New("read"), errors.New("write")
	for _, tt := range []struct {
		name        string
		read, write error
		want        error
		answers     int
	}{
		{"an end", io.EOF, nil, nil, 50},
		{"a reader that fails", errRead, nil, errRead, 50},
		{"an answer that fails", errRead, errWrite, errWrite, 3},
	} {
		for _, workers := range []int{1, 4} {
			r := &fakeReader{batches: manyBatches(50, 2, reading.Invalid), err: tt.read}
			a := &answers{err: tt.write}
			err := Answer(t.Context(), Config{Workers: workers}, r, a.row, a.answer)
			want := make([]int, tt.answers)
			for i := range want {
				want[i] = 2 * (i + 1)
			}
			if err != tt.want || !slices.Equal(a.after, want) || a.rows != 2*tt.answers {
				t.Errorf("%s, %d workers: %v, %d rows, answers after %v", tt.name, workers, err, a.rows,
					a.after)
			}
		}
	}
}

// TestAnswerFault checks that Answer does not answer a batch if one of its rows got two different
// verdicts.
func TestAnswerFault(t *testing.T) {
	a := new(answers)
	liar := &turncoat{lie: batch.Invalid}
	err := Answer(t.Context(), Config{Workers: 1, verifyBlock: liar.verify},
		oneBatch(slices.Repeat(unitBatch{goodBIP340()}, 100)), a.row, a.answer)
	if err == nil || !strings.Contains(err.Error(), "and alone ") || len(a.after) != 0 {
		t.Errorf("%v, answers after %v", err, a.after)
	}
}

// TestAnswerCancelled checks that onBatch is not called once ctx is done.
func TestAnswerCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := new(answers)
	err := Answer(ctx, Config{Workers: 1}, &fakeReader{batches: manyBatches(50, 2, reading.Invalid),
		err: io.EOF}, a.row, func(b reading.Batch) error {
		if len(a.after) == 4 {
			cancel()
		}
		return a.answer(b)
	})
	if err != context.Canceled || len(a.after) != 5 || a.rows != 10 {
		t.Errorf("%v, %d rows, answers after %v", err, a.rows, a.after)
	}
}
