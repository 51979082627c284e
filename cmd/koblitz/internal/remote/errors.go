package remote

import (
	"errors"
	"net/url"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// maxError limits the text of a connection error that is shown, in bytes.
const maxError = 200

// Error returns the error of a connection to a server in a form that may be shown. It leaves out
// the server's address, which may contain a key, and cuts the text after 200 bytes, since it may
// contain data that the server sent.
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
