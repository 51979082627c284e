package ecdsa

// These are for tests in package ecdsa_test.
var (
	Check            = check
	CheckRecoverable = checkRecoverable
	ErrFault         = errFault
)
