package engine

// SetECDSARecoverable sets a signature as SetECDSA does, with the recovery id
// that tells which point its r belongs to: r, s and the id, 65 bytes. It is
// malformed also if the id is above 3. The id says nothing about the verdict; a
// right one makes the row fit for an [Equation].
func (r *Row) SetECDSARecoverable(h []byte, sig *[65]byte, lowS bool) {
	r.SetECDSA(h, (*[64]byte)(sig[:64]), lowS)
	r.SetRecoveryID(sig[64])
}

// SetRecoveryID completes SetECDSA with a recovery id, as SetECDSARecoverable does.
func (r *Row) SetRecoveryID(id byte) {
	if r.need(id <= 3) {
		r.nonce = 1 + id
	}
}

// hasEquation returns whether an equation for the row is known: its nonce point, and
// no verdict, nor that it cannot be valid.
func (r *Row) hasEquation(kind Kind) bool {
	return r.verdict == Unchecked && (kind == Schnorr || r.nonce != 0 && !r.high)
}

// isDear returns whether the exact road has arithmetic for the row that is worth
// counting: no verdict came of parsing, nor that there is but a square root to take.
func (r *Row) isDear() bool { return r.verdict == Unchecked && !r.high }
