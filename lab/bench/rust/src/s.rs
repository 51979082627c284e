//! The crate secp256k1: libsecp256k1 as Rust users get it.

use crate::{b32, verdict, Inputs, Peer};
use secp256k1::ecdsa::{self, RecoverableSignature, RecoveryId};
use secp256k1::{ecdh, schnorr, Keypair, Message, PublicKey, Scalar, SecretKey, XOnlyPublicKey};
use std::hint::black_box;

fn xonly(b: &[u8]) -> Option<XOnlyPublicKey> {
    XOnlyPublicKey::from_byte_array(b32(b)).ok()
}

fn schnorr_signature(b: &[u8]) -> schnorr::Signature {
    schnorr::Signature::from_byte_array(b.try_into().unwrap())
}

fn recoverable(b: &[u8]) -> Option<RecoverableSignature> {
    RecoverableSignature::from_compact(&b[..64], RecoveryId::try_from(b[64] as i32).ok()?).ok()
}

fn message(b: &[u8]) -> Message {
    Message::from_digest(b32(b))
}

pub fn add(inputs: &Inputs, peer: &mut Peer) {
    let get = |name: &str| inputs[name].clone();
    let secrets: Vec<SecretKey> = get("secret").iter().map(|b| SecretKey::from_secret_bytes(b32(b)).unwrap()).collect();
    let keys: Vec<PublicKey> = secrets.iter().map(PublicKey::from_secret_key).collect();
    let pairs: Vec<Keypair> = secrets.iter().map(Keypair::from_secret_key).collect();
    let hashes: Vec<[u8; 32]> = get("hash").iter().map(|b| b32(b)).collect();
    let aux: Vec<[u8; 32]> = get("aux").iter().map(|b| b32(b)).collect();
    let sigs: Vec<ecdsa::Signature> = get("ecdsa").iter().map(|b| ecdsa::Signature::from_compact(b).unwrap()).collect();
    let schnorrs: Vec<schnorr::Signature> = get("schnorr").iter().map(|b| schnorr_signature(b)).collect();
    let xonlys: Vec<XOnlyPublicKey> = keys.iter().map(|k| k.x_only_public_key().0).collect();
    let n = secrets.len();

    let raw = get("secret");
    peer.each("keygen", move |i, out| {
        let k = black_box(PublicKey::from_secret_key(&SecretKey::from_secret_bytes(b32(&raw[i])).unwrap()));
        if out { k.serialize().to_vec() } else { Vec::new() }
    });
    let (h, s) = (hashes.clone(), secrets.clone());
    peer.each("ecdsa-sign-unchecked", move |i, out| {
        let sig = black_box(ecdsa::sign(Message::from_digest(h[i]), &s[i]));
        if out { sig.serialize_compact().to_vec() } else { Vec::new() }
    });
    let (h, k, g) = (hashes.clone(), keys.clone(), sigs);
    peer.check("ecdsa-verify", move |i| ecdsa::verify(&g[i], Message::from_digest(h[i]), &k[i]).is_ok());
    let (h, k, der) = (hashes.clone(), get("key"), (0..n).map(|i| inputs[&format!("der{i}")][0].clone()).collect::<Vec<_>>());
    peer.check("ecdsa-verify-parse", move |i| {
        let (sig, key) = (ecdsa::Signature::from_der(&der[i]).unwrap(), PublicKey::from_slice(&k[i]).unwrap());
        ecdsa::verify(&sig, Message::from_digest(h[i]), &key).is_ok()
    });
    let (h, p) = (hashes.clone(), pairs);
    peer.each("schnorr-sign-unchecked", move |i, out| {
        let sig = black_box(schnorr::sign_with_aux_rand(&h[i], &p[i], &aux[i]));
        if out { sig.to_byte_array().to_vec() } else { Vec::new() }
    });
    let (h, g, x) = (hashes.clone(), schnorrs, xonlys);
    peer.check("schnorr-verify", move |i| schnorr::verify(&g[i], &h[i], &x[i]).is_ok());
    let (h, g, x) = (hashes.clone(), get("schnorr"), get("xonly"));
    peer.check("schnorr-verify-parse", move |i| schnorr::verify(&schnorr_signature(&g[i]), &h[i], &xonly(&x[i]).unwrap()).is_ok());
    let (k, s) = (keys, secrets);
    peer.each("ecdh-sha256", move |i, out| {
        let x = black_box(ecdh::SharedSecret::new(&k[(i + 1) % n], &s[i]));
        if out { x.to_secret_bytes().to_vec() } else { Vec::new() }
    });
    let rec: Vec<RecoverableSignature> = get("recoverable").iter().map(|b| recoverable(b).unwrap()).collect();
    peer.each("recover", move |i, out| {
        let k = black_box(rec[i].recover(Message::from_digest(hashes[i])).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    });
    let raw = get("key");
    peer.each("parse", move |i, out| {
        let k = black_box(PublicKey::from_slice(&raw[i]).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    });
    if inputs.contains_key("many-hash") {
        many(inputs, peer);
    }
    functions(peer);
}

fn many(inputs: &Inputs, peer: &mut Peer) {
    let get = |name: &str| inputs[&format!("many-{name}")].clone();
    let (h, k, g) = (get("hash"), get("key"), get("ecdsa"));
    peer.check("ecdsa-batch", move |i| {
        ecdsa::verify(&ecdsa::Signature::from_compact(&g[i]).unwrap(), message(&h[i]), &PublicKey::from_slice(&k[i]).unwrap()).is_ok()
    });
    let (h, x, g) = (get("hash"), get("xonly"), get("schnorr"));
    peer.check("schnorr-batch", move |i| schnorr::verify(&schnorr_signature(&g[i]), &h[i], &xonly(&x[i]).unwrap()).is_ok());
    let (h, g) = (get("hash"), get("recoverable"));
    peer.each("recover-batch", move |i, out| {
        let k = black_box(recoverable(&g[i]).unwrap().recover(message(&h[i])).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    });
    let k = get("key");
    peer.each("parse-batch", move |i, out| {
        let k = black_box(PublicKey::from_slice(&k[i]).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    });
}

fn functions(peer: &mut Peer) {
    let secret = |b: &[u8]| SecretKey::from_secret_bytes(b32(b)).ok();
    // The library's verification wants low s; the standard's does not.
    let verify = |sig: Option<ecdsa::Signature>, hash: &[u8], key: &[u8]| {
        verdict(match (sig, PublicKey::from_slice(key)) {
            (Some(mut sig), Ok(key)) => {
                sig.normalize_s();
                ecdsa::verify(&sig, message(hash), &key).is_ok()
            }
            _ => false,
        })
    };
    peer.function("public-key", move |a| Some(PublicKey::from_secret_key(&secret(&a[0])?).serialize().to_vec()));
    peer.function("parse", |a| Some(PublicKey::from_slice(&a[0]).ok()?.serialize_uncompressed().to_vec()));
    peer.function("ecdsa-sign", move |a| Some(ecdsa::sign(message(&a[1]), &secret(&a[0])?).serialize_compact().to_vec()));
    peer.function("ecdsa-verify", move |a| verify(ecdsa::Signature::from_compact(&a[2]).ok(), &a[1], &a[0]));
    peer.function("ecdsa-verify-der", move |a| verify(ecdsa::Signature::from_der(&a[2]).ok(), &a[1], &a[0]));
    peer.function("schnorr-sign", move |a| {
        Some(schnorr::sign_with_aux_rand(&a[1], &Keypair::from_secret_key(&secret(&a[0])?), &b32(&a[2])).to_byte_array().to_vec())
    });
    peer.function("schnorr-verify", |a| {
        verdict(xonly(&a[0]).is_some_and(|k| schnorr::verify(&schnorr_signature(&a[2]), &a[1], &k).is_ok()))
    });
    peer.function("ecdh-sha256", move |a| {
        Some(ecdh::SharedSecret::new(&PublicKey::from_slice(&a[1]).ok()?, &secret(&a[0])?).to_secret_bytes().to_vec())
    });
    peer.function("recover", |a| Some(recoverable(&a[1])?.recover(message(&a[0])).ok()?.serialize().to_vec()));
    peer.function("multiply", |a| {
        let k = Scalar::from_be_bytes(b32(&a[0])).ok()?;
        Some(PublicKey::from_slice(&a[1]).ok()?.mul_tweak(&k).ok()?.serialize().to_vec())
    });
    peer.function("add", |a| {
        Some(PublicKey::from_slice(&a[0]).ok()?.combine(&PublicKey::from_slice(&a[1]).ok()?).ok()?.serialize().to_vec())
    });
}
