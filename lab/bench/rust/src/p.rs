//! p256k1: libsecp256k1's own multi-scalar multiplication, as its users reach it.

use crate::{b32, Inputs, Peer};
use p256k1::field::Element;
use p256k1::point::{Compressed, Point};
use p256k1::scalar::Scalar;
use std::hint::black_box;

fn point(xy: &[u8]) -> Point {
    Point::from((Element::from(b32(&xy[..32])), Element::from(b32(&xy[32..]))))
}

fn parse(b: &[u8]) -> Option<Point> {
    Point::try_from(&Compressed::try_from(b).ok()?).ok()
}

/// The crate has no encoding of infinity, and no test for it but equality.
fn compress(p: Point) -> Option<Vec<u8>> {
    (p != Point::identity()).then(|| p.compress().as_bytes().to_vec())
}

pub fn add(inputs: &Inputs, peer: &mut Peer) {
    let a: Vec<Scalar> = inputs["a"].iter().map(|b| Scalar::from(b32(b))).collect();
    let keys: Vec<Point> = inputs["keyxy"].iter().map(|b| point(b)).collect();
    peer.each("point-mul", move |i, out| {
        let r = black_box(keys[i] * a[i]);
        if out { compress(r).unwrap() } else { Vec::new() }
    });
    peer.function("multiply", |a| compress(parse(&a[1])? * Scalar::from(b32(&a[0]))));
    peer.function("add", |a| compress(parse(&a[0])? + parse(&a[1])?));
    peer.function("field-mul", |a| Some((Element::from(b32(&a[0])) * Element::from(b32(&a[1]))).to_bytes().to_vec()));
    peer.function("field-inv", |a| Some(Element::from(b32(&a[0])).invert().to_bytes().to_vec()));
    peer.function("scalar-mul", |a| Some((Scalar::from(b32(&a[0])) * Scalar::from(b32(&a[1]))).to_bytes().to_vec()));
    peer.function("scalar-inv", |a| Some(Scalar::from(b32(&a[0])).invert().to_bytes().to_vec()));

    let (Some(scalars), Some(points)) = (inputs.get("scalars"), inputs.get("points")) else { return };
    let scalars: Vec<Scalar> = scalars.iter().map(|b| Scalar::from(b32(b))).collect();
    let points: Vec<Point> = points.iter().map(|b| point(b)).collect();
    let mut n = 2;
    while n <= points.len() {
        let (k, p) = (scalars[..n].to_vec(), points[..n].to_vec());
        // The function takes the vectors for itself, so its users copy them too.
        peer.each(&format!("msm-{n}"), move |_, out| {
            let r = black_box(Point::multimult(k.clone(), p.clone()).unwrap());
            if out { compress(r).unwrap() } else { Vec::new() }
        });
        if n <= crate::NAIVE {
            let (k, p) = (scalars[..n].to_vec(), points[..n].to_vec());
            peer.each(&format!("msm-naive-{n}"), move |_, out| {
                let mut r = Point::identity();
                for (k, p) in k.iter().zip(&p) {
                    r += p * k;
                }
                let r = black_box(r);
                if out { compress(r).unwrap() } else { Vec::new() }
            });
        }
        n *= 2;
    }
}
