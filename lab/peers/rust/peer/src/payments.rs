//! Silent payments, by the crate silentpayments. The requests:
//!
//! - `addresses NETWORK SCAN SPEND LABELS`: the addresses of a receiver, without a label and with
//!   each. SCAN is a secret, SPEND a public key, and labels are decimal numbers. Label 0 is change.
//! - `parse ADDRESS`: the scan key, the spend key and the encoding of an address.
//! - `tweak INPUT…`: the public tweak of a transaction, and the keys of its eligible inputs. An
//!   input is a list: outpoint, signature script, script of the spent output, witness items.
//! - `send OUTPOINTS KEYS ADDRESSES`: the output of each address. A key is 01 for a taproot input
//!   or else 00, and the secret.
//! - `scan SCAN SPEND LABELS TWEAK OUTPUTS`: a word `OUTPUT,LABEL,TWEAK` for each payment. LABEL is
//!   empty for a payment without one. Outputs that are no keys are left out.

use std::str::FromStr;

use silentpayments::receiving::{Label, Receiver};
use silentpayments::secp256k1::{PublicKey, Secp256k1, SecretKey, XOnlyPublicKey};
use silentpayments::sending::generate_recipient_pubkeys;
use silentpayments::utils::{OutPoint, receiving, sending};
use silentpayments::{Error, Network, SilentPaymentCode, SpVersion};

use crate::{Answer, items, unhex};

fn secret(s: &str) -> SecretKey {
    SecretKey::from_slice(&unhex(s)).expect("a secret")
}

fn public(s: &str) -> PublicKey {
    PublicKey::from_slice(&unhex(s)).expect("a public key")
}

fn outpoint(s: &str) -> OutPoint {
    OutPoint::from_bytes(unhex(s).try_into().expect("36 bytes"))
}

fn numbers(s: &str) -> Vec<u32> {
    items(s).iter().map(|m| m.parse().expect("a label")).collect()
}

fn receiver(
    network: Network,
    scan: SecretKey,
    spend: &str,
    labels: &[u32],
) -> Result<Receiver, Error> {
    let key = scan.public_key(&Secp256k1::new());
    let change = Label::new(scan, 0);
    let mut r = Receiver::new(SpVersion::ZERO, key, public(spend), change, network)?;
    for m in labels {
        r.add_label(Label::new(scan, *m))?;
    }
    Ok(r)
}

pub fn addresses(w: &[&str]) -> Answer {
    let (scan, labels) = (secret(w[1]), numbers(w[3]));
    let r = receiver(Network::try_from(w[0])?, scan, w[2], &labels)?;
    let mut codes = vec![r.receiving_code().to_string()];
    for m in labels {
        let code = match m {
            0 => r.change_code(),
            m => r.receiving_code_for_label(&Label::new(scan, m))?,
        };
        codes.push(code.to_string());
    }
    Ok(codes)
}

pub fn parse(w: &[&str]) -> Answer {
    let code = SilentPaymentCode::from_str(w[0])?;
    let key = |k: PublicKey| hex::encode(k.serialize());
    Ok(vec![key(code.scan_key()), key(code.m_pubkey()), code.to_string()])
}

pub fn tweak(w: &[&str]) -> Answer {
    let (mut outpoints, mut keys) = (Vec::new(), Vec::new());
    for input in w {
        let fields: Vec<&str> = input.split(',').collect();
        outpoints.push(outpoint(fields[0]));
        let witness: Vec<Vec<u8>> = fields[3..].iter().map(|s| unhex(s)).collect();
        let key = receiving::get_pubkey_from_input(&unhex(fields[1]), &witness, &unhex(fields[2]));
        keys.extend(key.expect("a valid input"));
    }
    let tweak = receiving::calculate_tweak_data(&keys.iter().collect::<Vec<_>>(), &outpoints)?;
    Ok([tweak].iter().chain(&keys).map(|k| hex::encode(k.serialize())).collect())
}

pub fn send(w: &[&str]) -> Answer {
    let outpoints: Vec<OutPoint> = items(w[0]).into_iter().map(outpoint).collect();
    let keys: Vec<(SecretKey, bool)> =
        items(w[1]).iter().map(|k| (secret(&k[2..]), &k[..2] == "01")).collect();
    let codes: Vec<SilentPaymentCode> =
        items(w[2]).iter().map(|a| SilentPaymentCode::from_str(a).expect("an address")).collect();
    let partial = sending::calculate_partial_secret(&keys, &outpoints)?;
    // The outputs of a code that is listed several times are in the order of the list.
    let mut outputs = generate_recipient_pubkeys(codes.clone(), partial)?;
    let mut next = |code| outputs.get_mut(&code).expect("outputs of the code").remove(0);
    Ok(codes.into_iter().map(|c| hex::encode(next(c).serialize())).collect())
}

pub fn scan(w: &[&str]) -> Answer {
    let (scan, labels) = (secret(w[0]), numbers(w[2]));
    let r = receiver(Network::Mainnet, scan, w[1], &labels)?;
    let shared = receiving::calculate_ecdh_shared_secret(&public(w[3]), &scan);
    let outputs: Vec<XOnlyPublicKey> =
        items(w[4]).iter().filter_map(|x| XOnlyPublicKey::from_slice(&unhex(x)).ok()).collect();
    let mut payments = Vec::new();
    for (label, found) in r.scan_transaction(&shared, &outputs)? {
        let number = label.map(|l| {
            labels.iter().find(|m| Label::new(scan, **m) == l).expect("a label").to_string()
        });
        for (x, t) in found {
            let (x, t) = (hex::encode(x.serialize()), hex::encode(t.to_be_bytes()));
            payments.push(format!("{x},{},{t}", number.clone().unwrap_or_default()));
        }
    }
    Ok(payments)
}
