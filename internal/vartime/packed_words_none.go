//go:build purego

package vartime

import "github.com/koblitz-go/koblitz/internal/point"

// wordsPay is false because loads of words need package unsafe.
const wordsPay = false

// setPackedWords calls [point.Affine.SetPacked].
func setPackedWords(a *point.Affine, e string) { a.SetPacked(e) }
