package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// A token is a word, a number or a sign of PTX text.
type token struct {
	kind tokenKind
	text string
	line int
}

type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // an identifier, a directive or an opcode with its modifiers
	tokenNumber           // begins with a digit
	tokenString           // without its quotes
	tokenSign             // one character
	tokenBlock            // beginning or end of a block of inline assembly
)

// LLVM writes these comments at the beginning and the end of a block of inline assembly. They are
// tokens, because a carry must not cross the boundary of a block.
const (
	asmBegin = "begin inline asm"
	asmEnd   = "end inline asm"
)

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '$' || c == '%' || c == '.'
}

// lex splits text into tokens. The last one has the kind tokenEnd.
func lex(text string) ([]token, error) {
	var tokens []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		rest := text[i:]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == 0:
			i++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			comment := strings.TrimSpace(rest[2:end])
			if comment == asmBegin || comment == asmEnd {
				tokens = append(tokens, token{tokenBlock, comment, line})
			}
			i += end
		case c == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("ptx: line %d: a string has no end", line)
			}
			tokens = append(tokens, token{tokenString, rest[1 : 1+end], line})
			line += strings.Count(rest[:end+1], "\n")
			i += end + 2
		case wordByte(c):
			n := 1
			for n < len(rest) && wordByte(rest[n]) {
				n++
			}
			kind := tokenWord
			if c >= '0' && c <= '9' {
				kind = tokenNumber
			}
			tokens = append(tokens, token{kind, rest[:n], line})
			i += n
		case strings.IndexByte("{}[]()<>,;:=+-!@", c) >= 0:
			tokens = append(tokens, token{tokenSign, rest[:1], line})
			i++
		default:
			return nil, fmt.Errorf("ptx: line %d: unexpected character %q", line, c)
		}
	}
	return append(tokens, token{tokenEnd, "the end of the text", line}), nil
}

// number parses an integer constant of PTX: decimal, octal, binary or hexadecimal, with or without
// the suffix U.
func number(text string) (uint64, error) {
	v, err := strconv.ParseUint(strings.TrimSuffix(text, "U"), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not an integer constant", text)
	}
	return v, nil
}
