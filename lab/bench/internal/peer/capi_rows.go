//go:build linux || darwin || freebsd

package peer

import "slices"

// withoutTable is the note in the report on a peer without prepared keys: in the operations with
// prepared keys, it verifies with plain keys.
const withoutTable = "plain verification: it has no prepared keys"

// rows returns the library's operations on single rows.
func (c *capi) rows(in *Inputs) map[string]func(s *Set) Driver {
	buf := objects(4, objectSize)
	key, sig, pair, out := buf[0], buf[1], buf[2], buf[3]
	// point returns the driver for an operation that stores a key in the object key.
	point := func(t Timing, run func(i int) bool) Driver {
		return stores(t, func(i int) { accept(run(i)) }, func() []byte { return c.compressed(key) })
	}
	// store returns the driver for an operation that stores n bytes in out.
	store := func(n int, run func(i int) bool) Driver {
		return stores(Constant, func(i int) { accept(run(i)) },
			func() []byte { return slices.Clone(out[:n]) })
	}
	share := func(key, secret []byte, hash symbol) bool {
		f := uintptr(0)
		if hash != ecdhShare { // else SHA-256, the default
			f = c.functions[hash]
		}
		return c.call(ecdhShare, ptr(out), ptr(key), ptr(secret), f, 0)
	}
	pairs := func(s *Set) [][]byte {
		return c.parsed(s.Secret, func(pair, secret []byte) bool {
			return c.call(keypairCreate, ptr(pair), ptr(secret))
		})
	}
	signSchnorr := func(s *Set, pair []byte, i int) bool {
		return c.call(schnorrSign, ptr(out), ptr(s.Hash[i]), ptr(pair), ptr(s.Aux[i]))
	}
	verifyECDSA := func(s *Set) Driver {
		keys, sigs := c.parsed(s.Key, c.parse), c.parsed(s.ECDSA, c.parseCompact)
		return verifies(func(i int) bool {
			return c.call(ecdsaVerify, ptr(sigs[i]), ptr(s.Hash[i]), ptr(keys[i]))
		})
	}
	verifySchnorr := func(s *Set) Driver {
		keys := c.parsed(s.XOnly, c.parseXOnly)
		return verifies(func(i int) bool {
			return c.call(schnorrVerify, ptr(s.Schnorr[i]), ptr(s.Hash[i]), 32, ptr(keys[i]))
		})
	}
	prepared := func(verify func(s *Set) Driver) func(s *Set) Driver {
		return func(s *Set) Driver { return verify(s).noted(withoutTable) }
	}
	keygen := func(s *Set) Driver {
		return point(Constant, func(i int) bool {
			return c.call(publicCreate, ptr(key), ptr(s.Secret[i]))
		})
	}
	rows := map[string]func(s *Set) Driver{
		"keygen": keygen,
		"pubkeys-batch": func(s *Set) Driver {
			return store(33, func(i int) bool {
				ok := c.call(publicCreate, ptr(key), ptr(s.Secret[i]))
				c.serialize(out[:33], key)
				return ok
			})
		},
		"base-mul-batch": func(s *Set) Driver {
			return keygen(s).noted("it has no other")
		},
		"parse": func(s *Set) Driver {
			return point(Public, func(i int) bool { return c.parse(key, s.Key[i]) })
		},
		"ecdsa-sign-unchecked": func(s *Set) Driver {
			return stores(Constant, func(i int) {
				accept(c.call(ecdsaSign, ptr(sig), ptr(s.Hash[i]), ptr(s.Secret[i]), 0, 0))
			}, func() []byte {
				c.call(ecdsaSerializeCompact, ptr(out), ptr(sig))
				return slices.Clone(out[:64])
			})
		},
		"ecdsa-sign-batch": func(s *Set) Driver {
			return store(64, func(i int) bool {
				return c.call(ecdsaSign, ptr(sig), ptr(s.Hash[i]), ptr(s.Secret[i]), 0, 0) &&
					c.call(ecdsaSerializeCompact, ptr(out), ptr(sig))
			})
		},
		"ecdsa-verify":              verifyECDSA,
		"ecdsa-verify-prepared-2k":  prepared(verifyECDSA),
		"ecdsa-verify-prepared-26k": prepared(verifyECDSA),
		"ecdsa-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool { return c.ECDSAVerifyDER(s.Key[i], s.Hash[i], s.DER[i]) })
		},
		"ecdsa-batch": func(s *Set) Driver {
			return verifies(func(i int) bool { return c.ECDSAVerifyLowS(s.Key[i], s.Hash[i], s.ECDSA[i]) })
		},
		"schnorr-sign-unchecked": func(s *Set) Driver {
			pairs := pairs(s)
			return store(64, func(i int) bool { return signSchnorr(s, pairs[i], i) })
		},
		"schnorr-sign-batch": func(s *Set) Driver {
			return store(64, func(i int) bool {
				return c.call(keypairCreate, ptr(pair), ptr(s.Secret[i])) && signSchnorr(s, pair, i)
			})
		},
		"schnorr-verify":              verifySchnorr,
		"schnorr-verify-prepared-2k":  prepared(verifySchnorr),
		"schnorr-verify-prepared-26k": prepared(verifySchnorr),
		"schnorr-verify-parse": func(s *Set) Driver {
			return verifies(func(i int) bool { return c.SchnorrVerify(s.XOnly[i], s.Hash[i], s.Schnorr[i]) })
		},
		"ecdh-sha256": func(s *Set) Driver {
			keys := c.parsed(s.Key, c.parse)
			return store(32, func(i int) bool { return share(keys[s.next(i)], s.Secret[i], ecdhShare) })
		},
		"ecdh-x": func(s *Set) Driver {
			keys := c.parsed(s.Key, c.parse)
			return store(32, func(i int) bool {
				return share(keys[s.next(i)], s.Secret[i], internalCopyX)
			})
		},
		"ecdh-batch-pairs": func(s *Set) Driver {
			return store(32, func(i int) bool {
				return c.parse(key, s.Key[s.next(i)]) && share(key, s.Secret[i], internalCopyX)
			})
		},
		"ecdh-batch-one": func(s *Set) Driver {
			return store(32, func(i int) bool {
				return c.parse(key, s.Key[i]) && share(key, s.Secret[i], internalCopyX)
			})
		},
		"recover": func(s *Set) Driver {
			return point(Public, func(i int) bool {
				return c.parseRecoverable(sig, s.Recoverable[i]) &&
					c.call(ecdsaRecover, ptr(key), ptr(sig), ptr(s.Hash[i]))
			})
		},
		"tweak-add": func(s *Set) Driver {
			keys := c.parsed(s.Key, c.parse)
			return point(Variable, func(i int) bool {
				copy(key, keys[i])
				return c.call(publicTweakAdd, ptr(key), ptr(s.Hash[i]))
			})
		},
		"tweak-check-batch": func(s *Set) Driver {
			return verifies(func(i int) bool {
				return c.TweakCheck(s.XOnly[i], s.Hash[i], s.Output[i], s.Parity[i][0])
			})
		},
		"bip32-batch": func(*Set) Driver {
			a, buf := in.account(), make([]byte, 64)
			parent := c.parsed([][]byte{a.key}, c.parse)[0]
			d := store(33, func(i int) bool {
				a.appendTweak(buf[:0], i)
				copy(key, parent)
				ok := c.call(publicTweakAdd, ptr(key), ptr(buf))
				c.serialize(out[:33], key)
				return ok
			})
			d.Timing = Public
			return d.noted("the hash by Go")
		},
		"ellswift-encode": func(s *Set) Driver {
			keys := c.parsed(s.Key, c.parse)
			return stores(Public, func(i int) {
				accept(c.call(ellswiftEncode, ptr(out), ptr(keys[i]), ptr(s.Aux[i])))
			}, func() []byte {
				accept(c.call(ellswiftDecode, ptr(key), ptr(out)))
				return c.compressed(key)
			})
		},
		"ellswift-decode": func(s *Set) Driver {
			return stores(Public, func(i int) {
				accept(c.call(ellswiftDecode, ptr(key), ptr(s.Ellswift[i])))
			}, func() []byte { return c.compressed(key)[1:] }).noted("with the y coordinate")
		},
		"ellswift-ecdh": func(s *Set) Driver {
			return store(32, func(i int) bool {
				return c.secret(out, s.Secret[i], s.Ellswift[i], s.Ellswift[s.next(i)], i%2 == 0)
			})
		},
	}
	for _, s := range scans {
		rows[s.family] = func(set *Set) Driver { return c.scan(in.wallet, set, s) }
	}
	return rows
}

// scan returns the driver that scans a transaction for silent payments.
func (c *capi) scan(w *wallet, s *Set, how scanning) Driver {
	spend, out := c.parsed([][]byte{w.spend}, c.parse)[0], make([]byte, 192)
	f, note, outputs := internalScan, "", w.outputs(s, how)
	if how.parsed {
		f, note = internalScanParsed, "outputs parsed beforehand"
		outputs = c.parsed(outputs, func(object, outputs []byte) bool {
			return c.parseXOnly(object, outputs) && c.parseXOnly(object[64:], outputs[32:])
		})
	}
	var label []byte
	if how.label {
		label = slices.Concat(w.label, w.labelTweak)
	}
	return stores(Constant, func(i int) {
		accept(c.call(f, ptr(out), ptr(s.Key[i]), ptr(outputs[i]), ptr(w.secret), ptr(spend),
			ptr(label)))
	}, func() []byte { return slices.Clone(out[:1+65*int(out[0])]) }).noted(note)
}
