//! k256, in Rust throughout.

use crate::{b32, Inputs, Peer};
use k256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use k256::ecdsa::{RecoveryId, Signature, SigningKey, VerifyingKey};
use k256::elliptic_curve::group::GroupEncoding;
use k256::elliptic_curve::hazmat::FieldArithmetic;
use k256::elliptic_curve::ops::{LinearCombination, MulByGeneratorVartime};
use k256::elliptic_curve::{Group, PrimeField};
use k256::{schnorr, AffinePoint, ProjectivePoint, PublicKey, Scalar, Secp256k1, SecretKey};
use k256::hash2curve::{hash_from_bytes, ExpandMsgXmd};
use std::hint::black_box;

type Element = <Secp256k1 as FieldArithmetic>::FieldElement;

fn element(b: &[u8]) -> Element {
    Element::from_bytes(&b32(b).into()).unwrap()
}

fn scalar(b: &[u8]) -> Scalar {
    Scalar::from_repr(b32(b).into()).unwrap()
}

fn bytes(x: Element) -> Vec<u8> {
    x.normalize().to_bytes().to_vec()
}

fn point(key: &[u8]) -> Option<AffinePoint> {
    Some(*PublicKey::from_sec1_bytes(key).ok()?.as_affine())
}

fn compress(p: ProjectivePoint) -> Option<Vec<u8>> {
    (!bool::from(p.is_identity())).then(|| p.to_affine().to_bytes().to_vec())
}

fn xonly(b: &[u8]) -> Option<schnorr::VerifyingKey> {
    schnorr::VerifyingKey::from_bytes(&b32(b).into()).ok()
}

/// The domain separation tag of hashes to the curve, as in koblitz.go.
const TAG: &[u8] = b"koblitz-bench-V01-with-secp256k1_XMD:SHA-256_SSWU_RO_";

type Expander = ExpandMsgXmd<k256::sha2::Sha256>;

fn hash_to_curve(msg: &[u8]) -> AffinePoint {
    hash_from_bytes::<Secp256k1, Expander>(&[msg], &[TAG]).unwrap().to_affine()
}

fn recover(hash: &[u8], sig: &[u8]) -> Option<VerifyingKey> {
    let (id, sig) = (RecoveryId::from_byte(sig[64])?, Signature::from_slice(&sig[..64]).ok()?);
    VerifyingKey::recover_from_prehash(hash, &sig, id).ok()
}

fn short(k: &VerifyingKey) -> Vec<u8> {
    k.as_affine().to_bytes().to_vec()
}

pub fn add(inputs: &Inputs, peer: &mut Peer) {
    let get = |name: &str| inputs[name].clone();
    let signers: Vec<SigningKey> = get("secret").iter().map(|b| SigningKey::from_slice(b).unwrap()).collect();
    let keys: Vec<VerifyingKey> = signers.iter().map(|s| *s.verifying_key()).collect();
    let hashes = get("hash");
    let sigs: Vec<Signature> = get("ecdsa").iter().map(|b| Signature::from_slice(b).unwrap()).collect();
    let n = signers.len();

    let raw = get("secret");
    peer.each("keygen", move |i, out| {
        let k = black_box(SecretKey::from_slice(&raw[i]).unwrap().public_key());
        if out { k.as_affine().to_bytes().to_vec() } else { Vec::new() }
    });
    let h = hashes.clone();
    peer.each("ecdsa-sign-unchecked", move |i, out| {
        let sig: Signature = black_box(signers[i].sign_prehash(&h[i]).unwrap());
        if out { sig.to_bytes().to_vec() } else { Vec::new() }
    });
    let h = hashes.clone();
    peer.check("ecdsa-verify", move |i| keys[i].verify_prehash(&h[i], &sigs[i]).is_ok());
    let pairs: Vec<schnorr::SigningKey> = get("secret").iter().map(|b| schnorr::SigningKey::from_slice(b).unwrap()).collect();
    let verifiers: Vec<schnorr::VerifyingKey> = pairs.iter().map(|p| *p.verifying_key()).collect();
    let schnorrs: Vec<schnorr::Signature> = get("schnorr").iter().map(|b| schnorr::Signature::try_from(b.as_slice()).unwrap()).collect();
    let (h, aux) = (hashes.clone(), get("aux"));
    peer.each("schnorr-sign-unchecked", move |i, out| {
        let sig = black_box(pairs[i].sign_raw(&h[i], &b32(&aux[i])).unwrap());
        if out { sig.to_bytes().to_vec() } else { Vec::new() }
    });
    let h = hashes.clone();
    peer.check("schnorr-verify", move |i| verifiers[i].verify_raw(&h[i], &schnorrs[i]).is_ok());
    let (h, x, g) = (hashes.clone(), get("xonly"), get("schnorr"));
    peer.check("schnorr-verify-parse", move |i| {
        xonly(&x[i]).unwrap().verify_raw(&h[i], &schnorr::Signature::try_from(g[i].as_slice()).unwrap()).is_ok()
    });
    let secrets: Vec<SecretKey> = get("secret").iter().map(|b| SecretKey::from_slice(b).unwrap()).collect();
    let publics: Vec<PublicKey> = secrets.iter().map(|s| s.public_key()).collect();
    peer.each("ecdh-x", move |i, out| {
        let x = black_box(k256::ecdh::diffie_hellman(secrets[i].to_nonzero_scalar(), publics[(i + 1) % n].as_affine()));
        if out { x.raw_secret_bytes().to_vec() } else { Vec::new() }
    });
    let (h, g) = (hashes, get("recoverable"));
    peer.each("recover", move |i, out| {
        let k = black_box(recover(&h[i], &g[i]).unwrap());
        if out { short(&k) } else { Vec::new() }
    });
    let raw = get("key");
    peer.each("parse", move |i, out| {
        let k = black_box(PublicKey::from_sec1_bytes(&raw[i]).unwrap());
        if out { k.as_affine().to_bytes().to_vec() } else { Vec::new() }
    });
    let h = get("hash");
    peer.each("hash-to-curve", move |i, out| {
        let p = black_box(hash_to_curve(&h[i]));
        if out { p.to_bytes().to_vec() } else { Vec::new() }
    });
    points(inputs, peer);
    arithmetic(inputs, peer);
    if inputs.contains_key("many-hash") {
        many(inputs, peer);
    }
}

fn points(inputs: &Inputs, peer: &mut Peer) {
    let a: Vec<Scalar> = inputs["a"].iter().map(|b| scalar(b)).collect();
    let b: Vec<Scalar> = inputs["b"].iter().map(|b| scalar(b)).collect();
    let keys: Vec<ProjectivePoint> = inputs["key"].iter().map(|b| point(b).unwrap().into()).collect();
    macro_rules! each {
        ($op:literal, |$i:ident, $k:ident, $a:ident, $b:ident| $e:expr) => {{
            let ($k, $a, $b) = (keys.clone(), a.clone(), b.clone());
            let _ = (&$k, &$b);
            peer.each($op, move |$i, out| {
                let r = black_box($e);
                if out { compress(r).unwrap() } else { Vec::new() }
            });
        }};
    }
    each!("point-mul-ct", |i, k, a, _b| k[i] * a[i]);
    each!("base-mul-ct", |i, _k, a, _b| ProjectivePoint::mul_by_generator(&a[i]));
    each!("double-mul", |i, k, a, b| ProjectivePoint::mul_by_generator_and_mul_add_vartime(&a[i], &b[i], &k[i]));
    let (k, k2) = (keys.clone(), keys.clone());
    peer.chain(
        "point-double",
        move |n| {
            let mut r = black_box(k[0]);
            for _ in 0..n {
                r = r.double();
            }
            black_box(r);
        },
        move |i| compress(k2[i].double()).unwrap(),
    );
    let (Some(scalars), Some(points)) = (inputs.get("scalars"), inputs.get("points")) else { return };
    let all: Vec<(ProjectivePoint, Scalar)> = points.iter().zip(scalars).map(|(p, k)| {
        let key = [&[4], p.as_slice()].concat();
        (point(&key).unwrap().into(), scalar(k))
    }).collect();
    let mut n = 2;
    while n <= all.len() && n <= 1024 {
        let terms = all[..n].to_vec();
        peer.each(&format!("msm-{n}"), move |_, out| {
            let r = black_box(ProjectivePoint::lincomb_vartime(terms.as_slice()));
            if out { compress(r).unwrap() } else { Vec::new() }
        });
        n *= 2;
    }
}

fn arithmetic(inputs: &Inputs, peer: &mut Peer) {
    let a: Vec<Element> = inputs["a"].iter().map(|b| element(b)).collect();
    let b: Vec<Element> = inputs["b"].iter().map(|b| element(b)).collect();
    let sa: Vec<Scalar> = inputs["a"].iter().map(|b| scalar(b)).collect();
    let sb: Vec<Scalar> = inputs["b"].iter().map(|b| scalar(b)).collect();
    let rows = a.len();
    macro_rules! chain {
        ($op:literal, $a:ident, $b:ident, $bytes:expr, |$x:ident, $y:ident| $next:expr) => {{
            let (a2, b2, a, b) = ($a.clone(), $b.clone(), $a.clone(), $b.clone());
            peer.chain(
                $op,
                move |n| {
                    let mut $x = black_box(a2[0]);
                    for i in 0..n {
                        let $y = &b2[i % rows];
                        let _ = $y;
                        $x = $next;
                    }
                    black_box($x);
                },
                move |i| {
                    let ($x, $y) = (a[i], &b[i]);
                    let _ = $y;
                    $bytes($next)
                },
            );
        }};
    }
    let scalar_bytes = |x: Scalar| x.to_bytes().to_vec();
    chain!("field-mul", a, b, bytes, |x, y| x.mul(y));
    chain!("field-square", a, b, bytes, |x, _y| x.square());
    chain!("field-add", a, b, bytes, |x, y| (x + y).normalize_weak());
    chain!("scalar-mul", sa, sb, scalar_bytes, |x, y| x * y);
    macro_rules! each {
        ($op:literal, $a:ident, $bytes:expr, |$x:ident| $e:expr) => {{
            let v = $a.clone();
            peer.each($op, move |i, out| {
                let $x = &v[i];
                let r = black_box($e);
                if out { $bytes(r) } else { Vec::new() }
            });
        }};
    }
    each!("field-inv", a, bytes, |x| x.invert().unwrap());
    each!("scalar-inv", sa, scalar_bytes, |x| x.invert().unwrap());
}

fn many(inputs: &Inputs, peer: &mut Peer) {
    let get = |name: &str| inputs[&format!("many-{name}")].clone();
    let (h, k, g) = (get("hash"), get("key"), get("ecdsa"));
    peer.check("many-ecdsa-batch", move |i| {
        VerifyingKey::from_sec1_bytes(&k[i]).unwrap().verify_prehash(&h[i], &Signature::from_slice(&g[i]).unwrap()).is_ok()
    });
    let (h, x, g) = (get("hash"), get("xonly"), get("schnorr"));
    peer.check("many-schnorr-verify-parse", move |i| {
        xonly(&x[i]).unwrap().verify_raw(&h[i], &schnorr::Signature::try_from(g[i].as_slice()).unwrap()).is_ok()
    });
    let (h, g) = (get("hash"), get("recoverable"));
    peer.each("many-recover", move |i, out| {
        let k = black_box(recover(&h[i], &g[i]).unwrap());
        if out { short(&k) } else { Vec::new() }
    });
    let k = get("key");
    peer.each("many-parse", move |i, out| {
        let k = black_box(PublicKey::from_sec1_bytes(&k[i]).unwrap());
        if out { k.as_affine().to_bytes().to_vec() } else { Vec::new() }
    });
    let h = get("hash");
    peer.each("many-hash-to-curve", move |i, out| {
        let p = black_box(hash_to_curve(&h[i]));
        if out { p.to_bytes().to_vec() } else { Vec::new() }
    });
}
