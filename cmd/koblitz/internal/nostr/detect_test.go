package nostr

import (
	"fmt"
	"testing"
)

// TestDetectEnvelope checks which lists Detect takes for envelopes. An envelope's kind is enough.
func TestDetectEnvelope(t *testing.T) {
	for _, kind := range []string{"EVENT", "AUTH", "REQ", "CLOSE", "CLOSED", "COUNT", "EOSE", "NOTICE",
		"OK", "NEG-OPEN", "NEG-MSG", "NEG-CLOSE", "NEG-ERR", `\u0045OSE`} {
		for _, form := range []string{`["%s"`, ` [ "%s" , 5`, `["%s","x"]`, `[["%s",[`, `["%s"x`} {
			if text := fmt.Sprintf(form, kind); !Detect([]byte(text)) {
				t.Errorf("%s: not recognized", text)
			}
		}
	}
	for _, text := range []string{`["EVENT`, `["EVEN"]`, `["event"]`, `["x","EVENT"]`, `"EVENT"`,
		`[5]`, `{"EVENT":["EVENT"]}`, `["EVENT\ud83d"]`} {
		if Detect([]byte(text)) {
			t.Errorf("%s: recognized", text)
		}
	}
}
