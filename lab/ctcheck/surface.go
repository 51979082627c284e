package main

// secretPackages lists the packages of the core that secrets reach, as paths below the module's
// path. Each function that they export has a case in the subject, or a directive with the reason
// why it needs none.
var secretPackages = []string{
	"", "ecdsa", "schnorr", "musig2", "ecdh", "ellswift", "pkix", "silentpay", "group", "batch",
	"dleq",
	"compat/impl/secp256k1", "compat/impl/ecdsa",
	"compat/impl/btcec", "compat/impl/btcec/ellswift", "compat/impl/btcec/schnorr",
	"compat/impl/btcec/musig2",
	"internal/ct", "internal/divsteps", "internal/field", "internal/scalar", "internal/point",
	"internal/lanes", "internal/point/vector", "internal/hash", "internal/ecmult", "internal/keys",
	"internal/dsa", "internal/musig", "internal/swiftec", "internal/sswu",
}

// publicPackages maps all packages of the core that are not in secretPackages to the reason why no
// secret reaches them. It leaves out test helpers, such as internal/cpu/cputest.
var publicPackages = map[string]string{
	"msm":    "sums of public numbers and points",
	"device": "describes calls of batch and msm to accelerators, which get public data only",

	"compat/impl/schnorr":     "tells about errors, which hold public data alone",
	"compat/impl/btcec/ecdsa": "parses signatures, which are public",

	"internal/vartime":          "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/lanewise": "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/sums":     "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/wnaf":     "may leak its arguments; files that hold secrets may not import it",

	"internal/vartime/eisenstein": "may leak its arguments; files that hold secrets may not import it",

	"internal/profile":   "numbers that were measured",
	"internal/engine":    "runs the rows of batch and the sums of msm",
	"internal/forkjoin":  "shares work among goroutines, by its amount",
	"internal/cpu":       "knows the CPU and nothing else",
	"internal/secret":    "runs functions, which hold the secrets, and wipes what they leave",
	"internal/reference": "the oracle of tests",
	"internal/changing":  "memory for tests",
}
