//! Stands in for the crate rustfmt-wrapper where p256k1 is built: the bindings need
//! not look well, and not every machine has rustfmt.

/// The text of the tokens, as it is.
pub fn rustfmt<T: ToString>(tokens: T) -> Result<String, std::fmt::Error> {
    Ok(tokens.to_string())
}
