package main

// secretPackages are the packages of the core that secrets reach, as paths below the
// module's. Every function of theirs that they export has a case in the subject, or
// a place in withoutSecret.
var secretPackages = []string{
	"", "ecdsa", "schnorr", "ecdh", "group", "compat/impl/secp256k1", "compat/impl/ecdsa",
	"compat/impl/btcec/ellswift", "compat/impl/btcec/schnorr",
	"compat/impl/btcec/musig2",
	"internal/ct", "internal/divsteps", "internal/field", "internal/scalar", "internal/point",
	"internal/lanes", "internal/hash", "internal/ecmult", "internal/keys", "internal/dsa",
}

// publicPackages are all others, and why no secret reaches them.
var publicPackages = map[string]string{
	"batch":  "verifies, recovers and parses: its rows are public",
	"msm":    "sums of public numbers and points",
	"hashes": "hashes public messages",
	"device": "describes calls of batch and msm to accelerators, which get public data only",

	"compat/impl/schnorr":     "tells about errors, which hold public data alone",
	"compat/impl/btcec":       "hands private keys on to compat/impl/secp256k1; all else is public",
	"compat/impl/btcec/ecdsa": "parses signatures, which are public",

	"internal/vartime":        "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/blocks": "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/sums":   "may leak its arguments; files that hold secrets may not import it",
	"internal/vartime/wnaf":   "may leak its arguments; files that hold secrets may not import it",

	"internal/profile": "numbers that were measured",
	"internal/engine":  "runs the rows of batch and the sums of msm",
	"internal/crew":    "shares work among goroutines, by its amount",
	"internal/cpu":     "knows the CPU and nothing else",
	"internal/secret":  "runs functions, which hold the secrets, and wipes what they leave",

	"device/devicetest":              "is for tests",
	"internal/engine/enginetest":     "is for tests",
	"internal/cpu/cputest":           "is for tests",
	"internal/vartime/vartimetest":   "is for tests",
	"internal/profile/profiletest":   "is for tests",
	"internal/layers/walks":          "is for tests",
	"internal/layers/walks/recorder": "is for tests",
	"internal/reference":             "the oracle of tests",
}

// withoutSecret names the exported functions that need no case, by the reason.
var withoutSecret = map[string]string{
	"takes a public key, which it or its caller publishes": `
		koblitz.PublicKey.AppendBytes koblitz.PublicKey.AppendUncompressedBytes
		koblitz.PublicKey.Bytes koblitz.PublicKey.Compare
		koblitz.PublicKey.Equal koblitz.PublicKey.HasEvenY koblitz.PublicKey.IsZero
		koblitz.PublicKey.MarshalBinary koblitz.PublicKey.MarshalText koblitz.PublicKey.Negate
		koblitz.PublicKey.Prepare koblitz.PublicKey.String koblitz.PublicKey.UncompressedBytes
		koblitz.PublicKey.XOnlyPublicKey
		koblitz.XOnlyPublicKey.AppendBytes koblitz.XOnlyPublicKey.Bytes koblitz.XOnlyPublicKey.Compare
		koblitz.XOnlyPublicKey.Equal koblitz.XOnlyPublicKey.IsZero koblitz.XOnlyPublicKey.MarshalBinary
		koblitz.XOnlyPublicKey.MarshalText koblitz.XOnlyPublicKey.Prepare koblitz.XOnlyPublicKey.PublicKey
		koblitz.XOnlyPublicKey.String
		koblitz.PreparedKey.IsZero koblitz.PreparedKey.PublicKey koblitz.PreparedKey.Size
		koblitz.PreparedKey.String
		internal/keys.Prepared.Affine internal/keys.Prepared.Table internal/keys.NewPrepared`,
	"takes a public key or a point that becomes one": `
		compat/impl/btcec/schnorr.SerializePubKey
		compat/impl/btcec/ellswift.XElligatorSwift compat/impl/btcec/ellswift.XSwiftEC
		compat/impl/btcec/ellswift.XSwiftECInv`,
	"hands coordinates of a public key to big.Int": `
		compat/impl/secp256k1.PublicKey.X compat/impl/secp256k1.PublicKey.Y
		compat/impl/secp256k1.PublicKey.ToECDSA`,
	"hands the key to big.Int, whose length shows leading words of zeros": `
		compat/impl/secp256k1.PrivateKey.ToECDSA`,
	"adds or compares points in a time that is documented to tell exceptional cases": `
		compat/impl/secp256k1.AddNonConst compat/impl/secp256k1.JacobianPoint.EquivalentNonConst`,
	"takes coordinates as big.Int, whose own arithmetic may leak": `
		compat/impl/secp256k1.KoblitzCurve.Add compat/impl/secp256k1.KoblitzCurve.Double
		compat/impl/secp256k1.KoblitzCurve.IsOnCurve`,
	"tells about the curve": `
		compat/impl/secp256k1.Params compat/impl/secp256k1.KoblitzCurve.Params`,
	"tells about an error, which holds public data alone": `
		compat/impl/secp256k1.Error.Error compat/impl/secp256k1.Error.Unwrap
		compat/impl/secp256k1.ErrorKind.Error
		compat/impl/ecdsa.Error.Error compat/impl/ecdsa.Error.Unwrap compat/impl/ecdsa.ErrorKind.Error`,
	"parses what is public": `
		koblitz.ParsePublicKey koblitz.PublicKey.UnmarshalBinary koblitz.PublicKey.UnmarshalText
		koblitz.ParseXOnlyPublicKey koblitz.XOnlyPublicKey.UnmarshalBinary
		koblitz.XOnlyPublicKey.UnmarshalText
		ecdsa.ParseDER ecdsa.ParseDERLax ecdsa.ParseSignature ecdsa.Signature.UnmarshalText
		group.Point.SetBytes group.Point.UnmarshalBinary group.Point.UnmarshalText
		compat/impl/secp256k1.ParsePubKey compat/impl/ecdsa.ParseDERSignature
		compat/impl/btcec/schnorr.ParsePubKey compat/impl/btcec/schnorr.ParseSignature`,
	"takes a signature, which is public": `
		ecdsa.Signature.AppendBytes ecdsa.Signature.AppendDER ecdsa.Signature.Bytes
		ecdsa.Signature.DER ecdsa.Signature.IsLowS ecdsa.Signature.IsZero
		ecdsa.Signature.MarshalText ecdsa.Signature.Normalize ecdsa.Signature.R
		ecdsa.Signature.S ecdsa.Signature.String internal/keys.Signature.Numbers
		compat/impl/ecdsa.NewSignature compat/impl/ecdsa.Signature.R compat/impl/ecdsa.Signature.S
		compat/impl/ecdsa.Signature.IsEqual compat/impl/ecdsa.Signature.Serialize
		compat/impl/btcec/schnorr.NewSignature compat/impl/btcec/schnorr.Signature.IsEqual
		compat/impl/btcec/schnorr.Signature.Serialize`,
	"verifies what is public": `
		ecdsa.Recover ecdsa.Verify ecdsa.VerifyLowS ecdsa.VerifyPrepared ecdsa.VerifyPreparedLowS
		schnorr.Verify schnorr.VerifyPrepared
		internal/dsa.Verify internal/dsa.VerifyRecoverable internal/dsa.NonceX internal/dsa.NoncePoint
		internal/dsa.Recover
		compat/impl/ecdsa.Signature.Verify compat/impl/ecdsa.RecoverCompact
		compat/impl/btcec/schnorr.Signature.Verify`,
	"takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer": `
		compat/impl/btcec/musig2.AggregateKeys compat/impl/btcec/musig2.AggregateNonces
		compat/impl/btcec/musig2.CombineSigs compat/impl/btcec/musig2.NewPartialSignature
		compat/impl/btcec/musig2.PartialSignature.Decode
		compat/impl/btcec/musig2.PartialSignature.Encode
		compat/impl/btcec/musig2.PartialSignature.Verify compat/impl/btcec/musig2.WithTweakedCombine
		compat/impl/btcec/musig2.WithTaprootTweakedCombine
		compat/impl/btcec/musig2.WithBip86TweakedCombine compat/impl/btcec/musig2.WithKeysHash
		compat/impl/btcec/musig2.WithUniqueKeyIndex compat/impl/btcec/musig2.WithKeyTweaks
		compat/impl/btcec/musig2.WithTaprootKeyTweak compat/impl/btcec/musig2.WithBIP86KeyTweak
		compat/impl/btcec/musig2.WithTweaks compat/impl/btcec/musig2.WithTaprootSignTweak
		compat/impl/btcec/musig2.WithBip86SignTweak compat/impl/btcec/musig2.WithNumSigners
		compat/impl/btcec/musig2.Context.RegisterSigner
		compat/impl/btcec/musig2.Context.NumRegisteredSigners
		compat/impl/btcec/musig2.Context.CombinedKey compat/impl/btcec/musig2.Context.PubKey
		compat/impl/btcec/musig2.Context.SigningKeys compat/impl/btcec/musig2.Context.TaprootInternalKey
		compat/impl/btcec/musig2.Context.EarlySessionNonce
		compat/impl/btcec/musig2.Session.NumRegisteredNonces
		compat/impl/btcec/musig2.Session.CombinedNonce
		compat/impl/btcec/musig2.Session.RegisterCombinedNonce compat/impl/btcec/musig2.Session.FinalSig
		compat/impl/btcec/musig2.WithTaprootTweakCtx
		compat/impl/btcec/musig2.Session.RegisterPubNonce
		compat/impl/btcec/musig2.Session.CombineSig`,
	"returns an error, whatever it is asked to encode": `
		internal/secret.NoEncoding.GobEncode internal/secret.NoEncoding.MarshalBinary
		internal/secret.NoEncoding.MarshalJSON internal/secret.NoEncoding.MarshalText`,
	"tells about the CPU": `
		koblitz.Implementations internal/lanes.Available internal/scalar.MulInRegisters`,
	"takes what everybody knows of a modulus": `
		internal/divsteps.NewModulus`,
	"takes a number of rows": `
		internal/lanes.DivideScratch internal/lanes.Groups`,
	"makes constants": `
		internal/lanes.Beta internal/lanes.None internal/lanes.All internal/lanes.First`,
	"tells of masks that are public": `
		internal/lanes.Mask.Any internal/lanes.Mask.Count internal/lanes.Mask.Has`,
	"marks a secret as one, as every case has it done": `
		internal/ct.Classify internal/ct.ClassifyBytes`,
}
