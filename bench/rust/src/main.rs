//! Rust implementations of secp256k1, in one program that the bench speaks to
//! over pipes, a line at a time:
//!
//! - `rows NAME WIDTH HEX` gives inputs: rows of WIDTH bytes
//! - `start` prepares the drivers and answers with lines `PEER OPERATION`, then `end`
//! - `run PEER OPERATION N` does it N times and answers with nanoseconds
//! - `out PEER OPERATION ROW` does it on one row and answers with the result in hex

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

mod ark;
mod k;
#[cfg(feature = "p256k1")]
mod p;
mod s;

/// The inputs, by name, in rows.
pub type Inputs = HashMap<String, Vec<Vec<u8>>>;

/// An operation on row i that returns its result in bytes, if it is asked for.
pub type Operation = Box<dyn FnMut(usize, bool) -> Vec<u8>>;

/// Operations by peer and name.
pub type Drivers = BTreeMap<(String, String), Operation>;

pub fn b32(b: &[u8]) -> [u8; 32] {
    b.try_into().unwrap()
}

fn unhex(s: &str) -> Vec<u8> {
    (0..s.len()).step_by(2).map(|i| u8::from_str_radix(&s[i..i + 2], 16).unwrap()).collect()
}

fn main() {
    let mut inputs = Inputs::new();
    let mut drivers = Drivers::new();
    let mut rows = 1;
    let stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = stdout.lock();
        match words[0] {
            "rows" => {
                let width: usize = words[2].parse().unwrap();
                let all = unhex(words[3]);
                inputs.insert(words[1].to_string(), all.chunks(width).map(|c| c.to_vec()).collect());
            }
            "start" => {
                rows = inputs["secret"].len();
                s::add(&inputs, &mut drivers);
                k::add(&inputs, &mut drivers);
                #[cfg(feature = "p256k1")]
                p::add(&inputs, &mut drivers);
                ark::add(&inputs, &mut drivers);
                for (peer, op) in drivers.keys() {
                    writeln!(out, "{peer} {op}").unwrap();
                }
                writeln!(out, "end").unwrap();
            }
            verb => {
                let key = (words[1].to_string(), words[2].to_string());
                let n: usize = words[3].parse().unwrap();
                let f = drivers.get_mut(&key).unwrap();
                if verb == "run" {
                    let start = Instant::now();
                    for i in 0..n {
                        black_box(f(i % rows, false));
                    }
                    writeln!(out, "{}", start.elapsed().as_nanos()).unwrap();
                } else {
                    let b: String = f(n, true).iter().map(|b| format!("{b:02x}")).collect();
                    writeln!(out, "{b}").unwrap();
                }
            }
        }
        out.flush().unwrap();
    }
}
