// Twin runs the cases of package subject in a separate process. It reads cases from standard input,
// and writes their outputs to standard output. It is built once with the real modules, and once
// with the replacements.
package main

//ci:untested The tests of lab/oracle run it.

import (
	"bufio"
	"encoding/gob"
	"io"
	"log"
	"os"

	"github.com/koblitz-go/koblitz/lab/oracle/internal/subject"
)

func main() {
	log.SetPrefix("twin: ")
	if err := serve(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve runs the cases that it reads from r, and writes their outputs to w. It flushes w only when
// no more cases are waiting.
func serve(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	requests, answers := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var c subject.Case
		if err := requests.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(c.Run()); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}
