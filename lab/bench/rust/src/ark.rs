//! ark-secp256k1: arithmetic for proof systems.

use crate::{Inputs, Peer};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::{batch_inversion, AdditiveGroup, BigInteger, Field, PrimeField};
use ark_secp256k1::{Affine, Fq, Fr, Projective};
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

fn arithmetic<F: PrimeField>(inputs: &Inputs, peer: &mut Peer, name: &str) {
    let a: Vec<F> = inputs["a"].iter().map(|b| number(b)).collect();
    let b: Vec<F> = inputs["b"].iter().map(|b| number(b)).collect();
    let rows = a.len();
    macro_rules! chain {
        ($op:literal, |$x:ident, $y:ident| $next:expr) => {{
            let (a2, b2, a, b) = (a.clone(), b.clone(), a.clone(), b.clone());
            peer.chain(
                &format!("{name}-{}", $op),
                move |n| {
                    let mut $x = black_box(a2[0]);
                    for i in 0..n {
                        let $y = &b2[i % rows];
                        let _ = $y;
                        $next;
                    }
                    black_box($x);
                },
                move |i| {
                    let mut $x = a[i];
                    let $y = &b[i];
                    let _ = $y;
                    $next;
                    bytes($x)
                },
            );
        }};
    }
    chain!("mul", |x, y| x *= y);
    chain!("add", |x, y| x += y);
    chain!("square", |x, _y| {
        x.square_in_place();
    });
    let v = a.clone();
    peer.each(&format!("{name}-inv-var"), move |i, out| {
        let x = black_box(v[i].inverse().unwrap());
        if out { bytes(x) } else { Vec::new() }
    });
    for n in [100, 1000] {
        let a = a.clone();
        let mut v: Vec<F> = (0..n).map(|j| a[j % rows]).collect();
        peer.each(&format!("{name}-inv-batch-{n}"), move |i, out| {
            if out {
                for j in 0..n {
                    v[j] = a[(i + j) % rows];
                }
            }
            batch_inversion(&mut v);
            if out { bytes(v[n - 1]) } else { Vec::new() }
        });
    }
}

pub fn add(inputs: &Inputs, peer: &mut Peer) {
    let a: Vec<Fr> = inputs["a"].iter().map(|b| number(b)).collect();
    let keys: Vec<Affine> = inputs["keyxy"].iter().map(|b| point(b)).collect();
    let rows = keys.len();
    let (k, s) = (keys.clone(), a.clone());
    peer.each("point-mul", move |i, out| {
        let r = black_box(k[i] * s[i]);
        if out { compress(r).unwrap() } else { Vec::new() }
    });
    let s = a.clone();
    peer.each("base-mul", move |i, out| {
        let r = black_box(Projective::generator() * s[i]);
        if out { compress(r).unwrap() } else { Vec::new() }
    });
    let (k, k2) = (keys.clone(), keys.clone());
    peer.chain(
        "point-double",
        move |n| {
            let mut r: Projective = black_box(k[0]).into();
            for _ in 0..n {
                r.double_in_place();
            }
            let _ = black_box(r);
        },
        move |i| {
            let mut r: Projective = k2[i].into();
            r.double_in_place();
            compress(r).unwrap()
        },
    );
    let (k, k2) = (keys.clone(), keys.clone());
    peer.chain(
        "point-add",
        move |n| {
            let mut r: Projective = black_box(k[0]).into();
            r.double_in_place();
            for i in 0..n {
                r += k[i % rows];
            }
            let _ = black_box(r);
        },
        move |i| {
            let mut r: Projective = k2[i].into();
            r += k2[(i + 1) % rows];
            compress(r).unwrap()
        },
    );
    let jac: Vec<Projective> = keys.iter().zip(&a).map(|(p, k)| *p * *k).collect();
    for n in [1, 2, 4, 8, 16, 32, 64] {
        let jac = jac.clone();
        peer.each(&format!("normalize-{n}"), move |i, out| {
            let i = i.min(rows - n);
            let v = black_box(Projective::normalize_batch(&jac[i..i + n]));
            if out { bytes(v[n - 1].x) } else { Vec::new() }
        });
    }
    arithmetic::<Fq>(inputs, peer, "field");
    arithmetic::<Fr>(inputs, peer, "scalar");
    let b: Vec<Fq> = inputs["b"].iter().map(|b| number(b)).collect();
    let x: Vec<Fq> = inputs["a"].iter().map(|b| number(b)).collect();
    let (b2, x2) = (b.clone(), x.clone());
    peer.chain(
        "field-sub",
        move |n| {
            let mut r = black_box(x[0]);
            for i in 0..n {
                r -= b[i % rows];
            }
            black_box(r);
        },
        move |i| bytes(x2[i] - b2[i]),
    );
    let squares: Vec<Fq> = inputs["square"].iter().map(|b| number(b)).collect();
    peer.each("field-sqrt", move |i, out| {
        let x = black_box(squares[i].sqrt().unwrap());
        if out { bytes(x.square()) } else { Vec::new() }
    });

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
