package reading

import (
	"io"
	"strings"
)

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// closing returns the closing bracket for bracket. In ASCII it is two code points after the opening
// one.
func closing(bracket byte) byte { return bracket + 2 }

// fill reads more bytes into the buffer, which must be consumed completely. It returns the
// source's error, which is io.EOF at the end of the file.
func (r *JSON) fill() error {
	if r.keep != nil {
		r.flush()
	}
	r.base += int64(r.n)
	r.i, r.n, r.start = 0, 0, 0
	for tries := 0; r.err == nil; tries++ {
		if r.n, r.err = r.src.Read(r.buf); r.n > 0 {
			return nil
		}
		if tries == 100 && r.err == nil {
			r.err = io.ErrNoProgress
		}
	}
	return r.err
}

// space skips white space and returns the next byte without consuming it.
func (r *JSON) space() (byte, error) {
	if r.i < r.n && r.buf[r.i] > ' ' {
		return r.buf[r.i], nil
	}
	if r.keep != nil {
		r.flush()
	}
	for {
		for r.i < r.n {
			c := r.buf[r.i]
			if !isSpace(c) {
				r.start = r.i
				return c, nil
			}
			if c == '\n' {
				r.line++
			}
			r.i++
			r.start = r.i
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// peek returns the next byte without consuming it. If the file ends here, it returns io.EOF.
func (r *JSON) peek() (byte, error) {
	if r.i == r.n {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	return r.buf[r.i], nil
}

// accept skips the next byte if it is one of set. If the source fails, the next read returns the
// error.
func (r *JSON) accept(set string) bool {
	c, err := r.peek()
	if err != nil || strings.IndexByte(set, c) < 0 {
		return false
	}
	r.i++
	return true
}

// expect is like accept, but returns an error for another byte. wanted describes the set.
func (r *JSON) expect(set, wanted string) error {
	if r.accept(set) {
		return nil
	}
	c, err := r.peek()
	if err != nil {
		return r.ended(err)
	}
	return r.syntax(wanted, c)
}

// advance skips white space and a comma between two elements. It returns the first byte of the next
// token without consuming it.
func (r *JSON) advance() (byte, error) {
	c, err := r.space()
	if err != nil || len(r.open) == 0 || r.after != afterValue {
		return c, err
	}
	if c == ',' {
		r.i++
		r.after = afterComma
		return r.space()
	}
	if end := closing(r.open[len(r.open)-1]); c != end {
		return c, r.syntax("',' or '"+string(end)+"'", c)
	}
	return c, nil
}

// value moves to the first byte of a value. It returns an error if the next token does not begin a
// value.
func (r *JSON) value() error {
	c, err := r.advance()
	if err != nil {
		return r.ended(err)
	}
	if n := len(r.open); n > 0 && (c == closing(r.open[n-1]) || r.nameNext()) {
		return r.syntax("a value", c)
	}
	return nil
}

// nameNext reports whether the next token is the name of a field, or ends the object.
func (r *JSON) nameNext() bool {
	n := len(r.open)
	return n > 0 && r.open[n-1] == '{' && r.after != afterColon
}

// scan skips a value. The reader must be at the value's first byte.
func (r *JSON) scan() error {
	outside := len(r.open)
	for {
		c, err := r.advance()
		if err != nil {
			return r.ended(err)
		}
		if n := len(r.open); n > outside && r.keep != nil && r.open[n-1] == '[' && c != ']' {
			r.keep.item(n - outside)
		}
		if err := r.token(c); err != nil || len(r.open) == outside {
			return err
		}
	}
}

// token skips a token, whose first byte is c. The name of a field includes the colon after it.
func (r *JSON) token(c byte) (err error) {
	n := len(r.open)
	switch {
	case n > 0 && c == closing(r.open[n-1]) && r.after != afterComma && r.after != afterColon:
		r.i++
		r.open = r.open[:n-1]
	case r.nameNext():
		return r.name(c)
	case c == '{' || c == '[':
		if n == maxDepth {
			return r.Fail("bad JSON: nested more than %d deep", maxDepth)
		}
		r.i++
		r.open, r.after = append(r.open, c), afterBracket
		return nil
	case c == '"':
		err = r.string()
	case c == '-' || c >= '0' && c <= '9':
		err = r.number()
	case c == 't':
		err = r.word("true")
	case c == 'f':
		err = r.word("false")
	case c == 'n':
		err = r.word("null")
	default:
		err = r.syntax("a value", c)
	}
	r.after = afterValue
	return err
}

// name skips the name of a field, whose first byte is c, and the colon after it.
func (r *JSON) name(c byte) error {
	if c != '"' {
		return r.syntax("the name of a field", c)
	}
	if err := r.string(); err != nil {
		return err
	}
	c, err := r.space()
	switch {
	case err != nil:
		return r.ended(err)
	case c != ':':
		return r.syntax("':'", c)
	}
	r.i++
	r.after = afterColon
	return nil
}

// string skips a string. The reader must be at the string's first quotation mark.
func (r *JSON) string() error {
	r.i++
	for {
		for r.i < r.n && r.buf[r.i] >= ' ' && r.buf[r.i] != '"' && r.buf[r.i] != '\\' {
			r.i++
		}
		switch c, err := r.peek(); {
		case err != nil:
			return r.ended(err)
		case c < ' ':
			return r.syntax("a character of a string", c)
		case r.accept(`"`):
			return nil
		case r.accept(`\`):
			if err := r.escape(); err != nil {
				return err
			}
		}
	}
}

// escape skips an escape sequence. The reader must be after the backslash.
func (r *JSON) escape() error {
	if !r.accept("u") {
		return r.expect(`"\/bfnrt`, "an escape sequence")
	}
	for range 4 {
		if err := r.expect(digits+"abcdefABCDEF", "a hex digit"); err != nil {
			return err
		}
	}
	return nil
}

// word skips the given word: true, false or null.
func (r *JSON) word(word string) error {
	for i := range len(word) {
		if err := r.expect(word[i:i+1], `"`+word+`"`); err != nil {
			return err
		}
	}
	return nil
}

const digits = "0123456789"

// number skips a number. The reader must be at the number's first byte.
func (r *JSON) number() error {
	r.accept("-")
	if !r.accept("0") {
		if err := r.digits(); err != nil {
			return err
		}
	}
	if r.accept(".") {
		if err := r.digits(); err != nil {
			return err
		}
	}
	if !r.accept("eE") {
		return nil
	}
	r.accept("+-")
	return r.digits()
}

// digits skips one digit or more.
func (r *JSON) digits() error {
	err := r.expect(digits, "a digit")
	for err == nil && r.accept(digits) {
	}
	return err
}
