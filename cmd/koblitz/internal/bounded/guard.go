package bounded

import (
	"fmt"
	"strings"
)

// Guard calls f. If f panics, Guard returns the panic as an error, so that an input that a library
// does not expect cannot end the program.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprint(p)
			line, _, _ := strings.Cut(text, "\n")
			err = fmt.Errorf("broken: %s", line)
		}
	}()
	return f()
}
