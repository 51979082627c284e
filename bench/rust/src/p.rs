//! p256k1: libsecp256k1's own multi-scalar multiplication, as its users reach it.

use crate::{b32, Drivers, Inputs};
use p256k1::field::Element;
use p256k1::point::Point;
use p256k1::scalar::Scalar;
use std::hint::black_box;

pub fn add(inputs: &Inputs, drivers: &mut Drivers) {
    let (Some(scalars), Some(points)) = (inputs.get("scalars"), inputs.get("points")) else { return };
    let scalars: Vec<Scalar> = scalars.iter().map(|b| Scalar::from(b32(b))).collect();
    let points: Vec<Point> = points.iter().map(|b| Point::from((Element::from(b32(&b[..32])), Element::from(b32(&b[32..]))))).collect();
    let mut n = 2;
    while n <= points.len() {
        let (k, p) = (scalars[..n].to_vec(), points[..n].to_vec());
        drivers.insert(("p256k1".into(), format!("msm-{n}")), Box::new(move |_, out| {
            let r = black_box(Point::multimult(k.clone(), p.clone()).unwrap());
            if out { r.compress().as_bytes().to_vec() } else { Vec::new() }
        }));
        n *= 2;
    }
}
