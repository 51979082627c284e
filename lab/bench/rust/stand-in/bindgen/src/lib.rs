//! Stands in for the crate bindgen where p256k1 is built, because bindgen itself
//! wants libclang. p256k1 carries the bindings that bindgen once wrote for it, in
//! src/bindings.rs, and they lack five declarations that its other files name: they
//! are added here. Only what its build script calls is here.

use std::{fs, io, path::Path};

/// Called for nothing: nothing is parsed.
pub struct CargoCallbacks;

/// The bindings that p256k1 brings with it.
#[derive(Default)]
pub struct Builder;

/// The text of the bindings.
pub struct Bindings(String);

const MISSING: &str = r#"
extern "C" {
    pub fn PREFIX_context_preallocated_size(flags: ::std::os::raw::c_uint) -> usize;
    pub fn PREFIX_context_preallocated_create(memory: *mut ::std::os::raw::c_void, flags: ::std::os::raw::c_uint) -> *mut secp256k1_context;
    pub fn PREFIX_context_preallocated_clone_size(ctx: *const secp256k1_context) -> usize;
    pub fn PREFIX_context_preallocated_clone(ctx: *const secp256k1_context, memory: *mut ::std::os::raw::c_void) -> *mut secp256k1_context;
    pub fn PREFIX_context_preallocated_destroy(ctx: *mut secp256k1_context);
}
"#;
const PREFIX: &str = "s2bca0a5cbf756dd4ff1f0bda4585a7d3c64e1480_secp256k1";

impl Builder {
    pub fn header(self, _: &str) -> Self {
        self
    }

    pub fn parse_callbacks(self, _: Box<CargoCallbacks>) -> Self {
        self
    }

    /// Reads the bindings. Build scripts run in their crate's folder.
    pub fn generate(self) -> io::Result<Bindings> {
        let text = fs::read_to_string("src/bindings.rs")?;
        // The build script adds the derived traits itself, and includes the file
        // where attributes of a module may not stand.
        let kept: Vec<&str> = text.lines().filter(|l| !l.starts_with("#![")).collect();
        let text = kept.join("\n").replace(", serde :: Serialize, serde :: Deserialize", "");
        Ok(Bindings(text + &MISSING.replace("PREFIX", PREFIX)))
    }
}

impl Bindings {
    pub fn write_to_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        fs::write(path, &self.0)
    }
}
