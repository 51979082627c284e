package check

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestNostrDocuments checks that the real events get the same verdicts in a JSON array, compact or
// indented, as in a file with one event a line. check must detect the format.
func TestNostrDocuments(t *testing.T) {
	var lines []string
	for line := range strings.Lines(readFile(t, nostrFile(t))) {
		var envelope []json.RawMessage
		if json.Unmarshal([]byte(line), &envelope) == nil && string(envelope[0]) == `"EVENT"` {
			lines = append(lines, string(envelope[len(envelope)-1]))
		}
	}
	want := checkJSON(t, "", write(t, "lines", []byte(strings.Join(lines, "\n"))))
	if want.Valid < 500 || want.Rows != int64(len(lines)) {
		t.Fatalf("%+v of %d lines", want.summary, len(lines))
	}
	list := "[" + strings.Join(lines, ",") + "]"
	var printed bytes.Buffer
	if err := json.Indent(&printed, []byte(list), "", "  "); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": list, "printed": printed.String(),
		"printed, one by one": strings.Trim(strings.ReplaceAll(printed.String(), "\n  },\n", "\n  }\n"),
			"[]\n")} {
		for _, more := range [][]string{nil, {"--format", "nostr"}} {
			got := checkJSON(t, "", append(more, write(t, "events", []byte(text)))...)
			if got.numbers() != want.numbers() || got.Formats[0] != "nostr" {
				t.Errorf("%s: %v, want %v; %v", name, got.numbers(), want.numbers(), got.Unreadable)
			}
		}
	}
}
