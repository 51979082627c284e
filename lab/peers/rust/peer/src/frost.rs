//! FROST, by the crates frost-secp256k1 and frost-secp256k1-tr, which share the code of frost-core.
//! The requests begin with the ciphersuite, `rfc9591` or `taproot`. Participants have the
//! identifiers 1 to N, and any T of them can sign. A group is the four words T KEY IDS PUBLIC: the
//! threshold, the group's key, the identifiers of the signers, and their public shares. The words
//! NONCES MESSAGE, the signers' public nonces and the message, make it a session.
//!
//! - `deal SECRET T N RANDOM`: the commitment, the group's key, public shares and shares of a
//!   dealer.
//! - `nonce SHARE RANDOM`: the public nonce of a signer.
//! - `sign GROUP NONCES MESSAGE ID SHARE RANDOM`: the partial signature of the signer whose nonce
//!   the last two words make, as in the request `nonce`.
//! - `verify GROUP NONCES MESSAGE ID PARTIAL`: no word if the partial signature is valid.
//! - `aggregate GROUP NONCES MESSAGE PARTIALS`: the signature.
//! - `valid KEY MESSAGE SIGNATURE`: no word if the signature is valid.
//! - `parse nonce BYTES`, `parse commitment BYTES`: the encoding of what the bytes encode.
//! - `contribution ID T N RANDOM`: the first message of a participant of a key generation. The
//!   other steps make it again.
//! - `shares ID T N RANDOM CONTRIBUTIONS`: its shares for all participants.
//! - `finish ID T N RANDOM CONTRIBUTIONS SHARES`: its share of the key, from the shares that all
//!   have sent to it, the group's key, and all public shares.
//! - `parts GROUP ID SHARE LOST RANDOM`: what a helper sends to each signer of the group to repair
//!   the share of participant LOST.
//! - `sum PARTS`: what a helper sends to that participant.
//! - `repair GROUP LOST SUMS`: the share.
//! - `tweak GROUP SHARES ROOT`, of the ciphersuite `taproot` alone: the group's key, public shares
//!   and shares with the tweak of BIP-341. ROOT is a Merkle root of 32 bytes or of none.

use std::collections::BTreeMap;

use frost_core::keys::{
    IdentifierList, KeyPackage, PublicKeyPackage, SigningShare, VerifiableSecretSharingCommitment,
    VerifyingShare, dkg, repairable, split,
};
use frost_core::round1::{NonceCommitment, SigningCommitments, commit};
use frost_core::round2::{SignatureShare, sign};
use frost_core::{
    CheaterDetection, Ciphersuite, Error, Field, Identifier, Signature, SigningKey, SigningPackage,
    VerifyingKey, aggregate_custom, verify_signature_share,
};
use frost_secp256k1_tr::keys::Tweak;
use frost_secp256k1_tr::rand_core::{CryptoRng, RngCore};

use crate::{Answer, Refusal, items, list, unhex};

type ScalarField<C> = <<C as Ciphersuite>::Group as frost_core::Group>::Field;

/// Given is the random bytes of a request.
struct Given(Vec<u8>);

impl Given {
    fn new(word: &str) -> Self {
        Given(unhex(word))
    }
}

impl RngCore for Given {
    fn next_u32(&mut self) -> u32 {
        unimplemented!()
    }
    fn next_u64(&mut self) -> u64 {
        unimplemented!()
    }
    fn fill_bytes(&mut self, dest: &mut [u8]) {
        let rest = self.0.split_off(dest.len());
        dest.copy_from_slice(&self.0);
        self.0 = rest;
    }
    fn try_fill_bytes(
        &mut self,
        dest: &mut [u8],
    ) -> Result<(), frost_secp256k1_tr::rand_core::Error> {
        self.fill_bytes(dest);
        Ok(())
    }
}

impl CryptoRng for Given {}

pub fn answer<C: Ciphersuite>(words: &[&str]) -> Answer {
    let w = &words[1..];
    match words[0] {
        "deal" => deal::<C>(w),
        "nonce" => {
            let (_, n) =
                commit(&SigningShare::<C>::deserialize(&unhex(w[0]))?, &mut Given::new(w[1]));
            Ok(vec![hex::encode([n.hiding().serialize()?, n.binding().serialize()?].concat())])
        }
        "sign" => {
            let (group, package) = session::<C>(w)?;
            let key = group.member(&w[6..])?;
            let (nonces, _) = commit(key.signing_share(), &mut Given::new(w[8]));
            Ok(vec![hex::encode(sign(&package, &nonces, &key)?.serialize())])
        }
        "verify" => {
            let (group, package) = session::<C>(w)?;
            let (id, key) = (id(w[6])?, group.public.verifying_key());
            let public = &group.public.verifying_shares()[&id];
            let partial = SignatureShare::deserialize(&unhex(w[7]))?;
            verify_signature_share(id, public, &partial, &package, key).map_err(blame)?;
            Ok(vec![])
        }
        "aggregate" => {
            let (group, package) = session::<C>(w)?;
            let partials = by_id(&group.ids, w[6], |b| SignatureShare::deserialize(b))?;
            let all = CheaterDetection::AllCheaters;
            let s = aggregate_custom(&package, &partials, &group.public, all).map_err(blame)?;
            Ok(vec![hex::encode(s.serialize()?)])
        }
        "valid" => {
            let signature = Signature::<C>::deserialize(&unhex(w[2]))?;
            VerifyingKey::deserialize(&unhex(w[0]))?.verify(&unhex(w[1]), &signature)?;
            Ok(vec![])
        }
        "parse" => {
            let b = unhex(w[1]);
            Ok(vec![hex::encode(match w[0] {
                "nonce" => {
                    let (hiding, binding) = b.split_at(33);
                    let hiding = NonceCommitment::<C>::deserialize(hiding)?.serialize()?;
                    [hiding, NonceCommitment::<C>::deserialize(binding)?.serialize()?].concat()
                }
                "commitment" => VerifiableSecretSharingCommitment::<C>::deserialize_whole(&b)?
                    .serialize_whole()?,
                other => panic!("{other:?} is not a format"),
            })])
        }
        "contribution" => {
            let (_, c) = contribution::<C>(w)?;
            let proof = c.proof_of_knowledge().serialize()?;
            Ok(vec![hex::encode([c.commitment().serialize_whole()?, proof].concat())])
        }
        "shares" => {
            let (id, secret, others) = second_step::<C>(w)?;
            let (own, sent) = dkg::part2(secret, &others).map_err(blame)?;
            let mut shares: BTreeMap<_, _> =
                sent.iter().map(|(id, p)| (*id, p.signing_share().serialize())).collect();
            shares.insert(id, ScalarField::<C>::serialize(&own.secret_share()).as_ref().to_vec());
            Ok(vec![list(&shares.into_values().collect::<Vec<_>>())])
        }
        "finish" => {
            let (id, secret, others) = second_step::<C>(w)?;
            let (own, _) = dkg::part2(secret, &others).map_err(blame)?;
            let mut received = by_id(&all(w[2])?, w[5], |b| {
                Ok(dkg::round2::Package::new(SigningShare::deserialize(b)?))
            })?;
            received.remove(&id);
            let (key, public) = dkg::part3(&own, &others, &received).map_err(blame)?;
            let mut words = vec![hex::encode(key.signing_share().serialize())];
            words.extend(public_words(&public)?);
            Ok(words)
        }
        "parts" => {
            let group = Group::<C>::new(w)?;
            let (key, lost) = (group.member(&w[4..])?, id(w[6])?);
            let parts =
                repairable::repair_share_part1(&group.ids, &key, &mut Given::new(w[7]), lost)?;
            Ok(vec![list(&parts.values().map(|d| d.serialize()).collect::<Vec<_>>())])
        }
        "sum" => {
            let parts = items(w[0]).into_iter().map(|p| repairable::Delta::deserialize(&unhex(p)));
            let parts = parts.collect::<Result<Vec<_>, Error<C>>>()?;
            Ok(vec![hex::encode(repairable::repair_share_part2(&parts).serialize())])
        }
        "repair" => {
            let (group, lost) = (Group::<C>::new(w)?, id(w[4])?);
            let sums = items(w[5]).into_iter().map(|s| repairable::Sigma::deserialize(&unhex(s)));
            let sums = sums.collect::<Result<Vec<_>, Error<C>>>()?;
            let key = repairable::repair_share_part3(&sums, lost, &group.public)?;
            Ok(vec![hex::encode(key.signing_share().serialize())])
        }
        other => panic!("{other:?} is not a request"),
    }
}

fn deal<C: Ciphersuite>(w: &[&str]) -> Answer {
    let key = SigningKey::<C>::deserialize(&unhex(w[0]))?;
    let (t, n) = (w[1].parse()?, w[2].parse()?);
    let (dealt, public) = split(&key, n, t, IdentifierList::Default, &mut Given::new(w[3]))?;
    let commitment = dealt.values().next().expect("a share").commitment();
    let mut words = vec![hex::encode(commitment.serialize_whole()?)];
    words.extend(public_words(&public)?);
    // The conversion verifies a share with the commitment.
    let keys = dealt.values().map(|s| KeyPackage::try_from(s.clone()));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    words.push(list(&keys.iter().map(|k| k.signing_share().serialize()).collect::<Vec<_>>()));
    Ok(words)
}

/// Returns a group's key and public shares.
fn public_words<C: Ciphersuite>(public: &PublicKeyPackage<C>) -> Result<[String; 2], Error<C>> {
    let shares = public.verifying_shares().values().map(|s| s.serialize());
    let key = hex::encode(public.verifying_key().serialize()?);
    Ok([key, list(&shares.collect::<Result<Vec<_>, _>>()?)])
}

/// A Group is the words T KEY IDS PUBLIC.
struct Group<C: Ciphersuite> {
    t: u16,
    ids: Vec<Identifier<C>>,
    public: PublicKeyPackage<C>,
}

impl<C: Ciphersuite> Group<C> {
    fn new(w: &[&str]) -> Result<Self, Refusal> {
        let (t, key) = (w[0].parse()?, VerifyingKey::deserialize(&unhex(w[1]))?);
        let ids = items(w[2]).into_iter().map(id).collect::<Result<Vec<_>, _>>()?;
        let shares = by_id(&ids, w[3], VerifyingShare::deserialize)?;
        Ok(Group { t, ids, public: PublicKeyPackage::new(shares, key, Some(t)) })
    }

    /// Returns the keys of a participant, of the words ID SHARE.
    fn member(&self, w: &[&str]) -> Result<KeyPackage<C>, Refusal> {
        let share = SigningShare::deserialize(&unhex(w[1]))?;
        let key = *self.public.verifying_key();
        Ok(KeyPackage::new(id(w[0])?, share, share.into(), key, self.t))
    }
}

/// Returns the group and the signing package of the words GROUP NONCES MESSAGE.
fn session<C: Ciphersuite>(w: &[&str]) -> Result<(Group<C>, SigningPackage<C>), Refusal> {
    let group = Group::new(w)?;
    let nonces = by_id(&group.ids, w[4], |b| {
        let (hiding, binding) = b.split_at(33);
        Ok(SigningCommitments::new(
            NonceCommitment::deserialize(hiding)?,
            NonceCommitment::deserialize(binding)?,
        ))
    })?;
    Ok((group, SigningPackage::new(nonces, &unhex(w[5]))))
}

fn id<C: Ciphersuite>(word: &str) -> Result<Identifier<C>, Refusal> {
    Ok(Identifier::try_from(word.parse::<u16>()?)?)
}

/// Returns the identifiers 1 to the number in the word.
fn all<C: Ciphersuite>(word: &str) -> Result<Vec<Identifier<C>>, Refusal> {
    Ok((1..=word.parse::<u16>()?).map(Identifier::try_from).collect::<Result<_, _>>()?)
}

/// Returns the items of a list by the identifiers of their participants.
fn by_id<C: Ciphersuite, T>(
    ids: &[Identifier<C>],
    word: &str,
    decode: impl Fn(&[u8]) -> Result<T, Error<C>>,
) -> Result<BTreeMap<Identifier<C>, T>, Refusal> {
    let all = items(word);
    assert_eq!(ids.len(), all.len());
    let decoded = ids.iter().zip(all).map(|(id, item)| Ok((*id, decode(&unhex(item))?)));
    Ok(decoded.collect::<Result<_, Error<C>>>()?)
}

/// Returns the refusal that blames the participants of the error.
fn blame<C: Ciphersuite>(e: Error<C>) -> Refusal {
    // An identifier is a number of 32 bytes, big-endian.
    let number = |id: &Identifier<C>| id.serialize()[31].to_string();
    Refusal(e.culprits().iter().map(number).collect())
}

/// Returns the first message of the words ID T N RANDOM, and what the participant keeps.
fn contribution<C: Ciphersuite>(
    w: &[&str],
) -> Result<(dkg::round1::SecretPackage<C>, dkg::round1::Package<C>), Refusal> {
    Ok(dkg::part1(id(w[0])?, w[2].parse()?, w[1].parse()?, Given::new(w[3]))?)
}

/// What a participant of a key generation knows in the second step: its identifier, what it keeps
/// from the first step, and the messages of the others.
type SecondStep<C> = (
    Identifier<C>,
    dkg::round1::SecretPackage<C>,
    BTreeMap<Identifier<C>, dkg::round1::Package<C>>,
);

/// Returns the second step of the words ID T N RANDOM CONTRIBUTIONS.
fn second_step<C: Ciphersuite>(w: &[&str]) -> Result<SecondStep<C>, Refusal> {
    let (own, (secret, _)) = (id(w[0])?, contribution(w)?);
    let mut others = by_id(&all(w[2])?, w[4], |b| {
        let (commitment, proof) = b.split_at(b.len() - 65);
        Ok(dkg::round1::Package::new(
            VerifiableSecretSharingCommitment::deserialize_whole(commitment)?,
            Signature::deserialize(proof)?,
        ))
    })?;
    others.remove(&own);
    Ok((own, secret, others))
}

pub fn tweak(w: &[&str]) -> Answer {
    let group = Group::new(w)?;
    let root = Some(unhex(w[5])).filter(|r| !r.is_empty());
    let mut words = Vec::from(public_words(&group.public.clone().tweak(root.clone()))?);
    let keys = group.ids.iter().zip(items(w[4])).map(|(id, share)| {
        let share = SigningShare::deserialize(&unhex(share))?;
        let key = *group.public.verifying_key();
        let key = KeyPackage::new(*id, share, share.into(), key, group.t).tweak(root.clone());
        Ok(key.signing_share().serialize())
    });
    words.push(list(&keys.collect::<Result<Vec<_>, Refusal>>()?));
    Ok(words)
}
