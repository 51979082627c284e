//! ark-secp256k1: arithmetic for proof systems.

use crate::{Drivers, Inputs};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField};
use ark_secp256k1::{Affine, Fq, Fr, Projective};
use std::hint::black_box;

fn compress(p: Projective) -> Vec<u8> {
    let a = p.into_affine();
    let (x, y) = a.xy().unwrap();
    let mut out = vec![2 + y.into_bigint().is_odd() as u8];
    out.extend(x.into_bigint().to_bytes_be());
    out
}

pub fn add(inputs: &Inputs, drivers: &mut Drivers) {
    let a: Vec<Fr> = inputs["a"].iter().map(|b| Fr::from_be_bytes_mod_order(b)).collect();
    let keys: Vec<Affine> = inputs["keyxy"].iter().map(|b| point(b)).collect();
    drivers.insert(("ark".into(), "point-mul".into()), Box::new(move |i, out| {
        let r = black_box(keys[i] * a[i]);
        if out { compress(r) } else { Vec::new() }
    }));
    let (Some(scalars), Some(points)) = (inputs.get("scalars"), inputs.get("points")) else { return };
    let scalars: Vec<Fr> = scalars.iter().map(|b| Fr::from_be_bytes_mod_order(b)).collect();
    let points: Vec<Affine> = points.iter().map(|b| point(b)).collect();
    let mut n = 2;
    while n <= points.len() {
        let (k, p) = (scalars[..n].to_vec(), points[..n].to_vec());
        drivers.insert(("ark".into(), format!("msm-{n}")), Box::new(move |_, out| {
            let r = black_box(Projective::msm(&p, &k).unwrap());
            if out { compress(r) } else { Vec::new() }
        }));
        n *= 2;
    }
}

fn point(b: &[u8]) -> Affine {
    Affine::new_unchecked(Fq::from_be_bytes_mod_order(&b[..32]), Fq::from_be_bytes_mod_order(&b[32..]))
}
