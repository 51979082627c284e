package ct

// A Choice is 0 or 1 and nothing else. Choices combine with &, | and ^.
type Choice uint64

// Mask returns all ones if c is 1 and zero if c is 0.
func (c Choice) Mask() uint64 { return -uint64(c) }

// Not returns the opposite choice.
func (c Choice) Not() Choice {
	//ct:secret c == 1
	return c ^ 1
}

// Bool reports whether c is 1. A branch on the result is visible in the time, so call Bool only if
// the choice is public.
func (c Choice) Bool() bool { return c != 0 }

// Reveal is Bool for a choice that was computed from secrets but is public, because the caller's
// result reveals it anyway. It marks the choice as public for memcheck, as Declassify does.
func (c Choice) Reveal() bool {
	w := uint64(c)
	Declassify(&w, 1)
	return w != 0
}

// IsZero64 returns 1 if x is 0, and 0 if not.
func IsZero64(x uint64) Choice {
	//ct:secret x == 0
	return Choice(1 ^ (x|-x)>>63)
}

// Wipe zeroes s. It is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func Wipe[T byte | uint64](s []T) {
	//ct:secret len(s) > 0 && s[0] == 0
	clear(s)
}
