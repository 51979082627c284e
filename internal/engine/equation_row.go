package engine

// SetECDSARecoverable sets a signature as SetECDSA does, with the recovery id
// that tells which point its r belongs to: r, s and the id, 65 bytes. It is
// malformed also if the id is above 3. The id says nothing about the verdict; a
// right one makes the row fit for an [Equation].
func (r *Row) SetECDSARecoverable(h []byte, sig *[65]byte, lowS bool) {
	if r.SetECDSA(h, (*[64]byte)(sig[:64]), lowS); r.need(sig[64] <= 3) {
		r.nonce = 1 + sig[64]
	}
}
