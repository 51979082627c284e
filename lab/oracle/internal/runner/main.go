// Runner runs the subjects of package subject in a separate process. It reads batches of tapes from
// standard input, and writes the outputs to standard output. It is built once with the real
// modules, and once with the replacements.
package main

//ci:untested The tests of lab/oracle run it.

import (
	"encoding/gob"
	"io"
	"log"
	"os"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

func main() {
	requests, answers := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var b subject.Batch
		err := requests.Decode(&b)
		if err == io.EOF {
			return
		}
		if err == nil {
			err = answers.Encode(b.Run())
		}
		if err != nil {
			log.Fatal("runner: ", err)
		}
	}
}
