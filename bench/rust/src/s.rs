//! The crate secp256k1: libsecp256k1 as Rust users get it.

use crate::{b32, Drivers, Inputs};
use secp256k1::ecdsa::{self, RecoverableSignature, RecoveryId};
use secp256k1::{ecdh, schnorr, Keypair, Message, PublicKey, SecretKey, XOnlyPublicKey};
use std::hint::black_box;

pub fn add(inputs: &Inputs, drivers: &mut Drivers) {
    let get = |name: &str| inputs[name].clone();
    let mut put = |op: &str, f: crate::Operation| drivers.insert(("rust-secp256k1".into(), op.into()), f);
    let secrets: Vec<SecretKey> = get("secret").iter().map(|b| SecretKey::from_secret_bytes(b32(b)).unwrap()).collect();
    let keys: Vec<PublicKey> = secrets.iter().map(PublicKey::from_secret_key).collect();
    let pairs: Vec<Keypair> = secrets.iter().map(Keypair::from_secret_key).collect();
    let hashes: Vec<[u8; 32]> = get("hash").iter().map(|b| b32(b)).collect();
    let aux: Vec<[u8; 32]> = get("aux").iter().map(|b| b32(b)).collect();
    let sigs: Vec<ecdsa::Signature> = get("ecdsa").iter().map(|b| ecdsa::Signature::from_compact(b).unwrap()).collect();
    let schnorrs: Vec<schnorr::Signature> = get("schnorr").iter().map(|b| schnorr::Signature::from_slice(b).unwrap()).collect();
    let xonly: Vec<XOnlyPublicKey> = keys.iter().map(|k| k.x_only_public_key().0).collect();
    let n = secrets.len();

    let raw = get("secret");
    put("keygen", Box::new(move |i, out| {
        let k = black_box(PublicKey::from_secret_key(&SecretKey::from_secret_bytes(b32(&raw[i])).unwrap()));
        if out { k.serialize().to_vec() } else { Vec::new() }
    }));
    let (h, s) = (hashes.clone(), secrets.clone());
    put("ecdsa-sign", Box::new(move |i, out| {
        let sig = black_box(ecdsa::sign(Message::from_digest(h[i]), &s[i]));
        if out { sig.serialize_compact().to_vec() } else { Vec::new() }
    }));
    let (h, k, g) = (hashes.clone(), keys.clone(), sigs.clone());
    put("ecdsa-verify", Box::new(move |i, out| {
        let ok = black_box(ecdsa::verify(&g[i], Message::from_digest(h[i]), &k[i]).is_ok());
        if out { vec![ok as u8] } else { Vec::new() }
    }));
    let (h, p) = (hashes.clone(), pairs);
    put("schnorr-sign-unchecked", Box::new(move |i, out| {
        let sig = black_box(schnorr::sign_with_aux_rand(&h[i], &p[i], &aux[i]));
        if out { sig.to_byte_array().to_vec() } else { Vec::new() }
    }));
    let (h, g) = (hashes.clone(), schnorrs);
    put("schnorr-verify", Box::new(move |i, out| {
        let ok = black_box(schnorr::verify(&g[i], &h[i], &xonly[i]).is_ok());
        if out { vec![ok as u8] } else { Vec::new() }
    }));
    let (k, s) = (keys, secrets);
    put("ecdh-sha256", Box::new(move |i, out| {
        let x = black_box(ecdh::SharedSecret::new(&k[(i + 1) % n], &s[i]));
        if out { x.to_secret_bytes().to_vec() } else { Vec::new() }
    }));
    let rec: Vec<RecoverableSignature> = get("recoverable").iter()
        .map(|b| RecoverableSignature::from_compact(&b[..64], RecoveryId::try_from(b[64] as i32).unwrap()).unwrap()).collect();
    put("recover", Box::new(move |i, out| {
        let k = black_box(rec[i].recover(Message::from_digest(hashes[i])).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    }));
    let raw = get("key");
    put("parse", Box::new(move |i, out| {
        let k = black_box(PublicKey::from_slice(&raw[i]).unwrap());
        if out { k.serialize().to_vec() } else { Vec::new() }
    }));
}
