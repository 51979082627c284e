//! k256, in Rust throughout.

use crate::{b32, Drivers, Inputs};
use k256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use k256::ecdsa::{Signature, SigningKey, VerifyingKey};
use k256::elliptic_curve::group::GroupEncoding;
use k256::{schnorr, PublicKey, SecretKey};
use std::hint::black_box;

pub fn add(inputs: &Inputs, drivers: &mut Drivers) {
    let get = |name: &str| inputs[name].clone();
    let mut put = |op: &str, f: crate::Operation| drivers.insert(("k256".into(), op.into()), f);
    let signers: Vec<SigningKey> = get("secret").iter().map(|b| SigningKey::from_slice(b).unwrap()).collect();
    let keys: Vec<VerifyingKey> = signers.iter().map(|s| *s.verifying_key()).collect();
    let hashes = get("hash");
    let sigs: Vec<Signature> = get("ecdsa").iter().map(|b| Signature::from_slice(b).unwrap()).collect();
    let n = signers.len();

    let raw = get("secret");
    put("keygen", Box::new(move |i, out| {
        let k = black_box(SecretKey::from_slice(&raw[i]).unwrap().public_key());
        if out { k.as_affine().to_bytes().to_vec() } else { Vec::new() }
    }));
    let h = hashes.clone();
    put("ecdsa-sign", Box::new(move |i, out| {
        let sig: Signature = black_box(signers[i].sign_prehash(&h[i]).unwrap());
        if out { sig.to_bytes().to_vec() } else { Vec::new() }
    }));
    let h = hashes.clone();
    put("ecdsa-verify", Box::new(move |i, out| {
        let ok = black_box(keys[i].verify_prehash(&h[i], &sigs[i]).is_ok());
        if out { vec![ok as u8] } else { Vec::new() }
    }));
    let pairs: Vec<schnorr::SigningKey> = get("secret").iter().map(|b| schnorr::SigningKey::from_slice(b).unwrap()).collect();
    let verifiers: Vec<schnorr::VerifyingKey> = pairs.iter().map(|p| *p.verifying_key()).collect();
    let schnorrs: Vec<schnorr::Signature> = get("schnorr").iter().map(|b| schnorr::Signature::try_from(b.as_slice()).unwrap()).collect();
    let (h, aux) = (hashes.clone(), get("aux"));
    put("schnorr-sign-unchecked", Box::new(move |i, out| {
        let sig = black_box(pairs[i].sign_raw(&h[i], &b32(&aux[i])).unwrap());
        if out { sig.to_bytes().to_vec() } else { Vec::new() }
    }));
    put("schnorr-verify", Box::new(move |i, out| {
        let ok = black_box(verifiers[i].verify_raw(&hashes[i], &schnorrs[i]).is_ok());
        if out { vec![ok as u8] } else { Vec::new() }
    }));
    let secrets: Vec<SecretKey> = get("secret").iter().map(|b| SecretKey::from_slice(b).unwrap()).collect();
    let publics: Vec<PublicKey> = secrets.iter().map(|s| s.public_key()).collect();
    put("ecdh-x", Box::new(move |i, out| {
        let x = black_box(k256::ecdh::diffie_hellman(secrets[i].to_nonzero_scalar(), publics[(i + 1) % n].as_affine()));
        if out { x.raw_secret_bytes().to_vec() } else { Vec::new() }
    }));
    let raw = get("key");
    put("parse", Box::new(move |i, out| {
        let k = black_box(PublicKey::from_sec1_bytes(&raw[i]).unwrap());
        if out { k.as_affine().to_bytes().to_vec() } else { Vec::new() }
    }));
}
