// Package musig2 implements MuSig2.
package musig2
