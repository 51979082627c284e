package bounded

import (
	"fmt"
	"strings"
)

// Guard calls f and returns a panic as an error. Unexpected input in a library must not end the
// program.
func Guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(tooMuch); ok {
				err = e.error
				return
			}
			text := fmt.Sprint(p)
			line, _, _ := strings.Cut(text, "\n")
			err = fmt.Errorf("broken: %s", line)
		}
	}()
	return f()
}
