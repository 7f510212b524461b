//! Addresses of wallets, with the checksum they carry.

use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

pub(super) const RULES: &[Rule] = &[
    Rule::personal(
        "bitcoin-address",
        "BITCOIN",
        "An address of Bitcoin or of a coin that writes its addresses the same way.",
        Finder::Whole {
            traits: traits::DIGIT,
            find: bitcoin,
        },
    ),
    Rule::personal(
        "ethereum-address",
        "ETHEREUM",
        "An address of Ethereum.",
        Finder::Anchored {
            anchors: &["0x"],
            find: ethereum,
        },
    ),
];

const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

fn bitcoin(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let word = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        if word == 0 {
            at += 1;
            continue;
        }
        let span = at..at + word;
        at = span.end;
        let word = &bytes[span.clone()];
        let is_address = match word.len() {
            26..=35 if b"13LMDTX2mn9A".contains(&word[0]) => is_base58(word),
            _ => false,
        };
        if is_address || (14..=108).contains(&word.len()) && is_bech32(word) {
            found(span);
        }
    }
}

/// Twenty-one bytes and the first four of their hash's hash.
fn is_base58(word: &[u8]) -> bool {
    let mut decoded = [0_u8; 25];
    for letter in word {
        let Some(value) = BASE58.iter().position(|known| known == letter) else {
            return false;
        };
        let mut carry = value as u32;
        for byte in decoded.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry != 0 {
            return false;
        }
    }
    let hash = Sha256::digest(Sha256::digest(&decoded[..21]));
    hash[..4] == decoded[21..]
}

fn is_bech32(word: &[u8]) -> bool {
    let word = word.to_ascii_lowercase();
    let Some(people) = [&b"bc1"[..], b"tb1", b"ltc1", b"addr1"]
        .into_iter()
        .find(|start| word.starts_with(start))
    else {
        return false;
    };
    let name = &people[..people.len() - 1];
    let mut sum = 1_u32;
    let mut add = |value: u32| {
        let top = sum >> 25;
        sum = ((sum & 0x1ff_ffff) << 5) ^ value;
        let generators = [
            0x3b6a_57b2_u32,
            0x2650_8e6d,
            0x1ea1_19fa,
            0x3d42_33dd,
            0x2a14_62b3,
        ];
        for (bit, generator) in generators.into_iter().enumerate() {
            if (top >> bit) & 1 == 1 {
                sum ^= generator;
            }
        }
    };
    name.iter().for_each(|byte| add(u32::from(byte >> 5)));
    add(0);
    name.iter().for_each(|byte| add(u32::from(byte & 31)));
    for letter in &word[people.len()..] {
        let Some(value) = BECH32.iter().position(|known| known == letter) else {
            return false;
        };
        add(value as u32);
    }
    sum == 1 || sum == 0x2bc8_30a3
}

fn ethereum(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let hex = bytes[anchor.end..].iter().take(41);
    let hex = hex.take_while(|byte| byte.is_ascii_hexdigit()).count();
    let end = anchor.end + hex;
    let is_alone = !anchor
        .start
        .checked_sub(1)
        .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
        && !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let digits = &bytes[anchor.end..end];
    let is_drawn = (b'0'..=b'f').filter(|known| digits.contains(known)).count() >= 6;
    (hex == 40 && is_alone && is_drawn).then_some(anchor.start..end)
}
