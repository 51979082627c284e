package wnaf

import (
	"fmt"
	"slices"
	"testing"
)

// This file proves that Digits is right for all numbers. A number is written as two words.
type number struct{ hi, lo uint64 }

func (k number) String() string { return fmt.Sprintf("%#x·2^64 + %#x", k.hi, k.lo) }

// plus returns k + c, for c of 0 or 1 and k below 2^128 − 1.
func (k number) plus(c uint64) number {
	k.lo += c
	if c == 1 && k.lo == 0 {
		k.hi++
	}
	return k
}

// times returns k·2^w for a w below 64. The result must be below 2^128.
func (k number) times(w uint) number {
	return number{k.hi<<w | k.lo>>1>>(63-w), k.lo << w}
}

// digitsFunc is the type of the function Digits.
type digitsFunc func(digits *[MaxDigits]Digit, hi, lo uint64, w uint) int

// checkStep checks the first step of Digits for a number 2^w·h + r with an odd r below 2^w: if r <
// 2^(w−1) the digit is r, and the digits of h follow, w positions up; otherwise it is r − 2^w, and
// those of h + 1 follow.
//
// So if the digits of h and of h + 1 are right, so are those of the number: they have its sum, and
// are w positions apart.
func checkStep(digits digitsFunc, h number, r uint64, w uint) error {
	carry := r >> (w - 1)
	want := []Digit{{0, int16(int64(r) - int64(carry)<<w)}}
	var naf [MaxDigits]Digit
	h1 := h.plus(carry)
	for _, d := range naf[:digits(&naf, h1.hi, h1.lo, w)] {
		want = append(want, Digit{d.Position + int16(w), d.Value})
	}
	k := h.times(w)
	got := naf[:digits(&naf, k.hi, k.lo|r, w)]
	if !slices.Equal(got, want) {
		k.lo |= r
		return fmt.Errorf("w = %d: the digits of %v are %v, want %v", w, k, got, want)
	}
	return nil
}

// checkShift checks that the digits of 2·k are those of k one position up.
func checkShift(digits digitsFunc, k number, w uint) error {
	var a, b [MaxDigits]Digit
	twice := k.times(1)
	n, m := digits(&a, k.hi, k.lo, w), digits(&b, twice.hi, twice.lo, w)
	for i := range a[:n] {
		a[i].Position++
	}
	if !slices.Equal(a[:n], b[:m]) {
		return fmt.Errorf("w = %d: the digits of 2·(%v) are %v, want %v", w, k, b[:m], a[:n])
	}
	return nil
}

// checkDigits checks all steps of Digits for the width w: every odd r with several h, and shifts.
//
// A step reads the low w bits. It changes the rest only by a shift and by adding the carry, with
// one carry between the two words. The numbers h try both carries, in both cases with and without
// a carry between the words, at every position of the word's end.
func checkDigits(digits digitsFunc, w uint) error {
	const mixed = 0x5a96c3f15a96c3f1
	rest := []number{{mixed >> w, mixed}, {mixed >> 32, mixed}} // two numbers with many digits
	for n := uint(0); n < 128-w; n++ {
		ones := number{lo: 1<<n - 1} // n ones, so that a carry comes as far as bit n
		if n >= 64 {
			ones = number{1<<(n-64) - 1, ^uint64(0)}
		}
		rest = append(rest, ones, ones.plus(1))
	}
	var none [MaxDigits]Digit
	if n := digits(&none, 0, 0, w); n != 0 {
		return fmt.Errorf("w = %d: 0 has %d digits", w, n)
	}
	for i, h := range rest {
		for r := uint64(1); r < 1<<w; r += 2 {
			if w > 8 && i >= 4 && r != 1 && r != 1<<w-1 && r != 1<<(w-1)-1 && r != 1<<(w-1)+1 {
				continue // few r with many h, and all r with few h
			}
			if err := checkStep(digits, h, r, w); err != nil {
				return err
			}
		}
		for k := h.plus(1); k.hi>>63 == 0; k = k.times(1) {
			if err := checkShift(digits, k, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestDigitsOfAll proves for all numbers k below 2^128, by induction, that the digits of k are
// right: an even k has those of k/2, and an odd one a digit and those of a smaller number.
//
// It also proves the maximum of positions. Suppose that after the digits below position p, the
// number x that remains is at most 2^(128−p). This holds for p = 0. If x is even, it holds again
// for x/2. If x is odd and p + w ≤ 128, it holds again after the digit: x < 2^(128−p) or x = 1, so
// ⌊x/2^w⌋ + 1 ≤ 2^(128−p−w). The test tries all other x. So the last digit is at position 128 or
// below. There are at most ⌈129/w⌉ digits, because they are w positions apart.
func TestDigitsOfAll(t *testing.T) {
	for w := uint(2); w <= 15; w++ {
		if err := checkDigits(Digits, w); err != nil {
			t.Error(err)
		}
		for left := range w { // left = 128 − p
			for x := uint64(1); x <= 1<<left; x += 2 {
				var naf [MaxDigits]Digit
				for _, d := range naf[:Digits(&naf, 0, x, w)] {
					if uint(d.Position) > left {
						t.Errorf("w = %d: a digit of %d is at position %d", w, x, d.Position)
					}
				}
			}
		}
		if most := (Positions + w - 1) / w; most > MaxDigits {
			t.Errorf("w = %d: up to %d digits", w, most)
		}
	}
}

// TestDigitsOfAllFails checks that checkDigits finds each of several faults that the test plants in
// Digits, and reports no error if there is no fault.
func TestDigitsOfAllFails(t *testing.T) {
	for name, change := range map[string]func(hi, lo *uint64, d []Digit){
		"": func(_, _ *uint64, _ []Digit) {},
		"a digit of 2^(w−1) or more": func(_, _ *uint64, d []Digit) {
			if len(d) > 1 && d[0].Value == -1 {
				d[0].Value = 1<<7 - 1
			}
		},
		"a lost carry": func(hi, lo *uint64, _ []Digit) {
			if *lo == ^uint64(0) {
				*hi--
			}
		},
		"a position": func(_, _ *uint64, d []Digit) {
			if len(d) > 3 {
				d[3].Position++
			}
		},
	} {
		faulty := func(digits *[MaxDigits]Digit, hi, lo uint64, w uint) int {
			change(&hi, &lo, nil)
			n := Digits(digits, hi, lo, w)
			change(&hi, &lo, digits[:n])
			return n
		}
		if err := checkDigits(faulty, 7); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
