package bounded

import (
	"fmt"
	"strings"
)

// Guard calls f and makes an error of a panic: what a library does not expect in its input is
// no reason to end the program.
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
