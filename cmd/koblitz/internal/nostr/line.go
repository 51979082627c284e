package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/nostr"
)

// maxInLine is the maximum number of values in the lists of one line.
const maxInLine = 1 << 16

// rows returns an upper bound on the number of reading.Units of a line: 1, and in a list 1 more for
// each comma outside of objects. So a line of short values counts with the memory of its rows.
func rows(line []byte) int {
	n, objects, quoted := 1, 0, false
	if line = bytes.TrimLeft(line, " \t\r"); !bytes.HasPrefix(line, []byte{'['}) {
		return n
	}
	for i := 0; i < len(line) && n <= maxInLine; i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{':
			objects++
		case c == '}':
			objects--
		case c == ',' && objects == 0:
			n++
		}
	}
	return n
}

// A lineReader parses lines and emits a reading.Unit for each event in them. It reuses its memory
// for the next line.
type lineReader struct {
	emit       func(*reading.Unit)
	p          nostr.Parser
	serialized []byte
}

func newLineReader(emit func(*reading.Unit)) *lineReader {
	return &lineReader{emit: emit, p: nostr.Parser{Lists: true}}
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
		u := reading.Unit{Where: where}
		switch {
		case values == maxInLine:
			u.Decided = reading.Malformed
			u.Reason = fmt.Sprintf("more than %d values in the lists of one line", maxInLine)
			l.emit(&u)
			return
		case event || err != nil:
			l.judge(&u, err)
		default:
			u.Decided = reading.PassedOver
		}
		l.emit(&u)
	}
}

// judge fills in the reading.Unit of the parsed event. A non-nil err means that parsing failed, and
// makes the verdict Malformed.
func (l *lineReader) judge(u *reading.Unit, err error) {
	id, stated := l.p.ID()
	if stated {
		u.Where.Event = hex.EncodeToString(id[:])
	}
	if err != nil {
		u.Decided, u.Reason = reading.Malformed, reason(err)
		return
	}
	l.serialized = l.p.AppendSerialized(l.serialized[:0])
	if is := sha256.Sum256(l.serialized); is != id {
		u.Decided = reading.Invalid
		u.Reason = fmt.Sprintf("the id is not the hash of the event, which is %x", is)
		return
	}
	key, sig := l.p.Signed()
	u.Scheme, u.Raw = reading.Schnorr, l.p.Text()
	u.Keys = [][]byte{key[:]}
	u.Signatures = []reading.Signature{{Digest: id, Sig: sig[:]}}
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
