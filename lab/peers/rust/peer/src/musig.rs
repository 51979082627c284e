//! MuSig2 (BIP-327), by the crate musig2. The requests begin with the word `musig`:
//!
//! - `key KEYS TWEAKS`: the aggregate key. A tweak is 00 if plain, 01 if x-only, and 32 bytes, or
//!   02 and a Merkle root of 32 bytes or of none.
//! - `nonce RANDOM SECRET AGGREGATE MESSAGE EXTRA`: the public nonce of a signer. An option that is
//!   not given is `none`.
//! - `sum NONCES`: the aggregate nonce.
//! - `sign KEYS TWEAKS SUM MESSAGE NONCE…`: the partial signature of the signer whose nonce the
//!   last five words make, as in the request `nonce`.
//! - `verify KEYS TWEAKS SUM MESSAGE KEY NONCE PARTIAL`: no word if the partial signature is valid.
//! - `combine KEYS TWEAKS SUM MESSAGE PARTIALS`: the signature.
//! - `parse nonce BYTES`, `parse sum BYTES`, `parse partial BYTES`: the encoding of what the bytes
//!   encode.
//! - `valid KEY MESSAGE SIGNATURE`: no word if the signature is valid by BIP-340.

use musig2::secp::{MaybeScalar, Point, Scalar};
use musig2::{
    AggNonce, CompactSignature, KeyAggContext, PartialSignature, PubNonce, SecNonce,
    SecNonceBuilder, aggregate_partial_signatures, sign_partial, verify_partial, verify_single,
};

use crate::{Answer, Refusal, items, unhex};

pub fn answer(words: &[&str]) -> Answer {
    let w = &words[1..];
    Ok(match words[0] {
        "key" => vec![hex::encode(context(w)?.aggregated_pubkey::<Point>().serialize())],
        "nonce" => vec![hex::encode(nonce(w)?.public_nonce().serialize())],
        "sum" => vec![hex::encode(AggNonce::sum(nonces(w[0])?).serialize())],
        "sign" => {
            let (key, sum, message) = session(w)?;
            let secret = Scalar::from_hex(w[5])?;
            let s: PartialSignature = sign_partial(&key, secret, nonce(&w[4..])?, &sum, message)?;
            vec![hex::encode(s.serialize())]
        }
        "verify" => {
            let (key, sum, message) = session(w)?;
            let (signer, nonce) = (Point::from_hex(w[4])?, PubNonce::from_hex(w[5])?);
            verify_partial(&key, PartialSignature::from_hex(w[6])?, &sum, signer, &nonce, message)?;
            vec![]
        }
        "combine" => {
            let (key, sum, message) = session(w)?;
            let all = items(w[4]).into_iter().map(PartialSignature::from_hex);
            let all = all.collect::<Result<Vec<_>, _>>()?;
            let s: CompactSignature = aggregate_partial_signatures(&key, &sum, all, message)?;
            vec![hex::encode(s.serialize())]
        }
        "parse" => vec![hex::encode(match w[0] {
            "nonce" => PubNonce::from_bytes(&unhex(w[1]))?.serialize().to_vec(),
            "sum" => AggNonce::from_bytes(&unhex(w[1]))?.serialize().to_vec(),
            "partial" => PartialSignature::from_slice(&unhex(w[1]))?.serialize().to_vec(),
            other => panic!("{other:?} is not a format"),
        })],
        "valid" => {
            verify_single(Point::from_hex(w[0])?, &unhex(w[2])[..], unhex(w[1]))?;
            vec![]
        }
        other => panic!("{other:?} is not a request"),
    })
}

/// Returns the aggregate key of the words KEYS TWEAKS.
fn context(w: &[&str]) -> Result<KeyAggContext, Refusal> {
    let keys = items(w[0]).into_iter().map(Point::from_hex).collect::<Result<Vec<_>, _>>()?;
    let mut key = KeyAggContext::new(keys)?;
    for tweak in items(w[1]) {
        key = match tweak.split_at(2) {
            ("00", t) => key.with_plain_tweak(MaybeScalar::from_hex(t)?)?,
            ("01", t) => key.with_xonly_tweak(MaybeScalar::from_hex(t)?)?,
            ("02", "") => key.with_unspendable_taproot_tweak()?,
            ("02", root) => key.with_taproot_tweak(&unhex(root).try_into().expect("32 bytes"))?,
            _ => panic!("{tweak:?} is not a tweak"),
        };
    }
    Ok(key)
}

/// Returns the aggregate key, the aggregate nonce and the message of the words KEYS TWEAKS SUM
/// MESSAGE.
fn session(w: &[&str]) -> Result<(KeyAggContext, AggNonce, Vec<u8>), Refusal> {
    Ok((context(w)?, AggNonce::from_hex(w[2])?, unhex(w[3])))
}

fn nonces(word: &str) -> Result<Vec<PubNonce>, Refusal> {
    Ok(items(word).into_iter().map(PubNonce::from_hex).collect::<Result<_, _>>()?)
}

/// Returns the secret nonce of the words RANDOM SECRET AGGREGATE MESSAGE EXTRA.
fn nonce(w: &[&str]) -> Result<SecNonce, Refusal> {
    let random: [u8; 32] = unhex(w[0]).try_into().expect("32 bytes");
    let option = |word: &str| (word != "none").then(|| unhex(word));
    let (message, extra) = (option(w[3]), option(w[4]));
    let mut b = SecNonceBuilder::from_seckey(random, Scalar::from_hex(w[1])?);
    if w[2] != "none" {
        b = b.with_aggregated_pubkey(Point::from_hex(w[2])?);
    }
    if let Some(message) = &message {
        b = b.with_message(message);
    }
    if let Some(extra) = &extra {
        b = b.with_extra_input(extra);
    }
    Ok(b.build())
}
