package gpu_test

import (
	"context"
	"fmt"
	"log"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/gpu"
)

// Verify rows on the first GPU, or by the CPU where there is none.
func Example() {
	d, err := gpu.Open(gpu.OnError(func(err error) { log.Print(err) }))
	if err == nil {
		defer gpu.Close(d)
	}

	var rows batch.ECDSARows // whose columns are filled from a file, say
	verdicts := make([]batch.Verdict, 0)
	valid, err := rows.Verify(context.Background(), verdicts, batch.On(d))
	fmt.Println(valid, err)
	// Output: 0 <nil>
}
