//! Rust crates, which the tests call over pipes. A request is a line of words, and so is its
//! answer. Bytes are in hexadecimal, and the items of a list are separated by commas. If the crate
//! refuses a request, the answer is `-` and the identifiers of the participants whom the crate
//! blames. The modules describe their requests.
//!
//! The program keeps nothing between requests. A request that needs random bytes brings them.

mod frost;
mod musig;
mod payments;

use std::io::{BufRead, Write};

use frost_secp256k1::Secp256K1Sha256;
use frost_secp256k1_tr::Secp256K1Sha256TR;

/// The words of an answer.
type Answer = Result<Vec<String>, Refusal>;

/// A Refusal has the identifiers of the participants to blame.
struct Refusal(Vec<String>);

impl<E: std::error::Error> From<E> for Refusal {
    fn from(_: E) -> Self {
        Refusal(Vec::new())
    }
}

fn unhex(s: &str) -> Vec<u8> {
    hex::decode(s).expect("hexadecimal")
}

/// Returns the items of a list, which is empty if the word is.
fn items(s: &str) -> Vec<&str> {
    if s.is_empty() { Vec::new() } else { s.split(',').collect() }
}

fn list(all: &[Vec<u8>]) -> String {
    all.iter().map(hex::encode).collect::<Vec<_>>().join(",")
}

fn answer(words: &[&str]) -> Answer {
    let w = &words[1..];
    match words[0] {
        "addresses" => payments::addresses(w),
        "parse" => payments::parse(w),
        "tweak" => payments::tweak(w),
        "send" => payments::send(w),
        "scan" => payments::scan(w),
        "musig" => musig::answer(w),
        "rfc9591" => frost::answer::<Secp256K1Sha256>(w),
        "taproot" if w[0] == "tweak" => frost::tweak(&w[1..]),
        "taproot" => frost::answer::<Secp256K1Sha256TR>(w),
        other => panic!("{other:?} is not a request"),
    }
}

fn main() {
    let mut stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let text = match answer(&line.split(' ').collect::<Vec<_>>()) {
            Ok(words) => words.join(" "),
            Err(Refusal(blamed)) => format!("- {}", blamed.join(" ")),
        };
        writeln!(stdout, "{text}").unwrap();
    }
}
