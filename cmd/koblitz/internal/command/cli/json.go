package cli

import (
	"bytes"
	"encoding/json"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

func WriteJSON(w interface{ Write([]byte) (int, error) }, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// JSONLine returns v as JSON on one line.
func JSONLine(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot happen: v holds only strings, numbers, lists and structs
	}
	return string(printable.JSON(bytes.TrimSpace(b.Bytes())))
}
