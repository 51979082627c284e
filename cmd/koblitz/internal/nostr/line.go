package nostr

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/nostr"
)

// maxInLine is the maximum number of values in the lists of one line.
const maxInLine = 1 << 16

// A lineReader parses lines and emits a reading.Unit for each event in them. It reuses its memory
// for the next line.
type lineReader struct {
	emit func(*reading.Unit)
	unit reading.Unit
	p    nostr.Parser
	ids  strings.Builder // events' ids in hexadecimal; many share one allocation

	id, key    [32]byte
	sig        [64]byte
	serialized []byte
}

func newLineReader(emit func(*reading.Unit)) *lineReader {
	return &lineReader{emit: emit, p: nostr.Parser{Lists: true},
		unit: reading.Unit{Signatures: make([]reading.Signature, 1), Keys: make([][]byte, 1)}}
}

// read emits a reading.Unit for each value of the line: an event, an envelope, or a list of these
// or of lists. A line that is not JSON is one malformed value. An envelope without an event is
// passed over.
func (l *lineReader) read(line []byte, where reading.Where) {
	l.p.Reset(line)
	for values := 0; ; values++ {
		event, err := l.p.Next()
		if err == io.EOF {
			return
		}
		l.unit.Where = where
		switch {
		case values == maxInLine:
			l.decide(reading.Malformed,
				fmt.Sprintf("more than %d values in the lists of one line", maxInLine))
			return
		case event || err != nil:
			l.judge(err)
		default:
			l.decide(reading.PassedOver, "")
		}
	}
}

// name returns the event id in hexadecimal.
func (l *lineReader) name(id *[32]byte) string {
	var digits [2 * len(id)]byte
	hex.Encode(digits[:], id[:])
	if l.ids.Cap()-l.ids.Len() < len(digits) {
		l.ids = strings.Builder{}
		l.ids.Grow(batchLines * len(digits))
	}
	l.ids.Write(digits[:])
	return l.ids.String()[l.ids.Len()-len(digits):]
}

func (l *lineReader) decide(v reading.Verdict, reason string) {
	l.unit.Decided, l.unit.Reason = v, reason
	if v != reading.Unchecked {
		l.unit.Raw = nil
	}
	l.emit(&l.unit)
}

// judge emits the reading.Unit of the parsed event. A non-nil err means that parsing failed; then
// the verdict is Malformed.
func (l *lineReader) judge(err error) {
	u := &l.unit
	id, stated := l.p.ID()
	if u.Where.Event = ""; stated {
		u.Where.Event = l.name(&id)
	}
	u.Raw = l.p.Text()
	if err != nil {
		l.decide(reading.Malformed, reason(err))
		return
	}
	l.id = id
	l.key, l.sig = l.p.Signed()
	l.serialized = l.p.AppendSerialized(l.serialized[:0])
	l.judgeID()
}

// reason returns the text of err. It says where a *nostr.ParseError is by a column, counted in
// bytes from 1, and by the field of the event.
func reason(err error) string {
	var e *nostr.ParseError
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Offset < 0:
		return e.Reason
	}
	field := e.Field
	if field != "" {
		field += ": "
	}
	return fmt.Sprintf("column %d: %s%s", e.Offset+1, field, e.Reason)
}

// judgeID emits the reading.Unit of the parsed event, which l.serialized holds serialized.
func (l *lineReader) judgeID() {
	u := &l.unit
	if id := sha256.Sum256(l.serialized); id != l.id {
		reason := fmt.Sprintf("the id is not the hash of the event, which is %x", id)
		if slices.ContainsFunc(l.serialized, isControl) && escapedControlsID(l.serialized) == l.id {
			reason += `; it is the hash with control characters written as \u00xx, which NIP-01 does not do`
		}
		l.decide(reading.Invalid, reason)
		return
	}
	u.Scheme = reading.Schnorr
	u.Signatures[0].Digest = l.id
	u.Signatures[0].Sig = l.sig[:]
	u.Keys[0] = l.key[:]
	l.decide(reading.Unchecked, "")
}

// escapedControlsID returns the incorrect id that many clients compute. They escape control
// characters as \u00xx, which NIP-01 does not do. The id is used only to report that mistake.
func escapedControlsID(serialized []byte) [32]byte {
	h := sha256.New()
	writeEscapedControls(h, serialized)
	return [32]byte(h.Sum(nil))
}

// writeEscapedControls writes the text that escapedControlsID hashes, in parts of some kilobytes.
// Writing to w must not fail.
func writeEscapedControls(w io.Writer, serialized []byte) {
	const digits = "0123456789abcdef"
	b := make([]byte, 0, 4096)
	for _, c := range serialized {
		if len(b)+6 > cap(b) {
			w.Write(b)
			b = b[:0]
		}
		if isControl(c) {
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		} else {
			b = append(b, c)
		}
	}
	w.Write(b)
}

func isControl(c byte) bool { return c < 0x20 }
