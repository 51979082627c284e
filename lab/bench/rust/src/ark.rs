//! ark-secp256k1: sums of a library for proof systems.

use crate::{Inputs, Peer};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField};
use ark_secp256k1::{Affine, Fr, Projective};
use std::hint::black_box;

fn bytes<F: PrimeField>(x: F) -> Vec<u8> {
    x.into_bigint().to_bytes_be()
}

fn number<F: PrimeField>(b: &[u8]) -> F {
    F::from_be_bytes_mod_order(b)
}

fn compress(p: Projective) -> Option<Vec<u8>> {
    let a = p.into_affine();
    let (x, y) = a.xy()?;
    let mut out = vec![2 + y.into_bigint().is_odd() as u8];
    out.extend(bytes(x));
    Some(out)
}

fn point(b: &[u8]) -> Affine {
    Affine::new_unchecked(number(&b[..32]), number(&b[32..]))
}

pub fn add(inputs: &Inputs, peer: &mut Peer) {
    let (Some(scalars), Some(points)) = (inputs.get("scalars"), inputs.get("points")) else { return };
    let scalars: Vec<Fr> = scalars.iter().map(|b| number(b)).collect();
    let points: Vec<Affine> = points.iter().map(|b| point(b)).collect();
    let mut n = 2;
    while n <= points.len() {
        let (k, p) = (scalars[..n].to_vec(), points[..n].to_vec());
        peer.each(&format!("msm-{n}"), move |_, out| {
            let r = black_box(Projective::msm(&p, &k).unwrap());
            if out { compress(r).unwrap() } else { Vec::new() }
        });
        n *= 2;
    }
}
