//! Rust implementations of secp256k1, in one program that the bench speaks to
//! over pipes, a line at a time:
//!
//! - `rows NAME WIDTH HEX` gives inputs: rows of WIDTH bytes
//! - `start` prepares everything and answers with lines `PEER OPERATION`, then `end`
//! - `run PEER OPERATION FIRST N ROWS` does it N times from a row on, through so
//!   many rows, and answers with nanoseconds of CPU time
//! - `out PEER OPERATION ROW` does it on one row and answers with the result in hex

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io::{BufRead, Write};

mod ark;
mod k;

/// The inputs, by name, in rows.
pub type Inputs = HashMap<String, Vec<Vec<u8>>>;

/// What is asked of an operation.
pub enum Ask {
    /// So often, from a row on, through so many rows.
    Run(usize, usize, usize),
    /// Once, on this row, with the result in bytes.
    Out(usize),
}

/// An operation.
pub type Operation = Box<dyn FnMut(Ask) -> Vec<u8>>;

/// Everything that can be asked for, by peer and name.
#[derive(Default)]
pub struct Drivers {
    operations: BTreeMap<(String, String), Operation>,
}

/// One peer's share of the drivers.
pub struct Peer<'a> {
    name: &'static str,
    drivers: &'a mut Drivers,
}

impl Peer<'_> {
    /// Adds what is done row by row: f does row i, with the result if it is wanted.
    pub fn each(&mut self, op: &str, mut f: impl FnMut(usize, bool) -> Vec<u8> + 'static) {
        self.put(op, Box::new(move |ask| match ask {
            Ask::Run(first, n, rows) => {
                for i in first..first + n {
                    black_box(f(i % rows, false));
                }
                Vec::new()
            }
            Ask::Out(i) => f(i, true),
        }));
    }

    /// Adds a verification.
    pub fn check(&mut self, op: &str, mut f: impl FnMut(usize) -> bool + 'static) {
        self.each(op, move |i, out| {
            let ok = f(i);
            assert!(ok || out, "a signature that was valid in the check");
            if out { if ok { b"valid".to_vec() } else { b"invalid".to_vec() } } else { Vec::new() }
        });
    }

    /// Adds a loop in which each result goes into the next operation, and the
    /// result of one.
    pub fn chain(&mut self, op: &str, mut run: impl FnMut(usize) + 'static, mut out: impl FnMut(usize) -> Vec<u8> + 'static) {
        self.put(op, Box::new(move |ask| match ask {
            Ask::Run(_, n, _) => {
                run(n);
                Vec::new()
            }
            Ask::Out(i) => out(i),
        }));
    }

    fn put(&mut self, op: &str, f: Operation) {
        self.drivers.operations.insert((self.name.into(), op.into()), f);
    }
}

pub fn b32(b: &[u8]) -> [u8; 32] {
    b.try_into().unwrap()
}

/// The CPU time that this process has taken, in nanoseconds.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    #[repr(C)]
    #[derive(Default)]
    struct Timespec {
        seconds: std::ffi::c_long,
        nanoseconds: std::ffi::c_long,
    }
    extern "C" {
        fn clock_gettime(clock: std::ffi::c_int, time: *mut Timespec) -> std::ffi::c_int;
    }
    const PROCESS: std::ffi::c_int = 2;
    let mut t = Timespec::default();
    assert_eq!(unsafe { clock_gettime(PROCESS, &mut t) }, 0);
    t.seconds as u64 * 1_000_000_000 + t.nanoseconds as u64
}

/// The time of day, where the CPU time is not asked for.
#[cfg(not(target_os = "linux"))]
fn now() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}

fn digit(b: u8) -> u8 {
    (b as char).to_digit(16).unwrap() as u8
}

fn unhex(s: &str) -> Vec<u8> {
    s.as_bytes().chunks(2).map(|c| digit(c[0]) << 4 | digit(c[1])).collect()
}

fn hex(b: &[u8]) -> String {
    b.iter().map(|b| format!("{b:02x}")).collect()
}

fn main() {
    let mut inputs = Inputs::new();
    let mut drivers = Drivers::default();
    let stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| words[i].parse::<usize>().unwrap();
        let key = || (words[1].to_string(), words[2].to_string());
        let mut out = stdout.lock();
        match words[0] {
            "rows" => {
                let rows = unhex(words[3]).chunks(number(2)).map(|c| c.to_vec()).collect();
                inputs.insert(words[1].to_string(), rows);
            }
            "start" => {
                k::add(&inputs, &mut Peer { name: "k256", drivers: &mut drivers });
                ark::add(&inputs, &mut Peer { name: "ark", drivers: &mut drivers });
                for (peer, op) in drivers.operations.keys() {
                    writeln!(out, "{peer} {op}").unwrap();
                }
                writeln!(out, "end").unwrap();
            }
            "run" => {
                let f = drivers.operations.get_mut(&key()).unwrap();
                let start = now();
                black_box(f(Ask::Run(number(3), number(4), number(5))));
                writeln!(out, "{}", now() - start).unwrap();
            }
            "out" => {
                let f = drivers.operations.get_mut(&key()).unwrap();
                writeln!(out, "{}", hex(&f(Ask::Out(number(3))))).unwrap();
            }
            other => panic!("{other:?} is not known"),
        }
        out.flush().unwrap();
    }
}
