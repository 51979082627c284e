package remote

import (
	"errors"
	"net/url"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// maxError is the most bytes of an error of a connection that are shown.
const maxError = 200

// Error is the error of a connection to a server, fit to be shown: without the address, which may
// have a key in it, and cut after 200 bytes, since it may have in it what the server has sent.
func Error(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if len(text) > maxError {
		text = text[:maxError] + "…"
	}
	return errors.New(printable.Text(text))
}
