//! Encrypts what must be found again but not read by whoever has the file: XChaCha20-Poly1305
//! with a random nonce a value, bound to where the value belongs.

use chacha20poly1305::aead::{Aead, Generate, Key, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};

/// A random key. It is written to the keychain and to nothing else.
#[derive(Clone)]
pub struct SealKey(XChaCha20Poly1305);

/// What a value looks like from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub nonce: Vec<u8>,
    pub bytes: Vec<u8>,
}

/// Sealing failed, which takes a value of many gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl SealKey {
    /// A new key, and how the keychain keeps it.
    pub(super) fn generate() -> (Self, SecretString) {
        let key = Key::<XChaCha20Poly1305>::generate();
        let written: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        (Self(XChaCha20Poly1305::new(&key)), written.into())
    }

    /// What [`Self::generate`] wrote; none for anything else.
    pub(super) fn read(written: &SecretString) -> Option<Self> {
        let digits = written.expose_secret().trim().as_bytes();
        let mut key = Key::<XChaCha20Poly1305>::default();
        if digits.len() != key.len() * 2 {
            return None;
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).ok()?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(XChaCha20Poly1305::new(&key)))
    }

    /// Whether the two are one key: what one seals, the other opens.
    pub fn is_same(&self, other: &Self) -> bool {
        let sealed = self.seal("", "");
        sealed.is_ok_and(|sealed| other.open(&sealed, "").is_some())
    }

    /// Seals a value so that it opens only at the place that `place` names.
    pub fn seal(&self, value: &str, place: &str) -> Result<Sealed, TooLarge> {
        let nonce = XNonce::generate();
        let payload = Payload {
            msg: value.as_bytes(),
            aad: place.as_bytes(),
        };
        let bytes = self.0.encrypt(&nonce, payload).map_err(|_| TooLarge)?;
        Ok(Sealed {
            nonce: nonce.to_vec(),
            bytes,
        })
    }

    /// The value; none when it was sealed with another key, for another place, or changed since.
    pub fn open(&self, sealed: &Sealed, place: &str) -> Option<SecretString> {
        let nonce = XNonce::try_from(sealed.nonce.as_slice()).ok()?;
        let payload = Payload {
            msg: &sealed.bytes,
            aad: place.as_bytes(),
        };
        let value = self.0.decrypt(&nonce, payload).ok()?;
        String::from_utf8(value).ok().map(SecretString::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_with_its_key_at_its_place_and_nowhere_else() {
        let (key, written) = SealKey::generate();
        let (other, _) = SealKey::generate();
        let sealed = key.seal("canary", "here").unwrap();
        assert!(!sealed.bytes.windows(6).any(|window| window == b"canary"));
        let read = SealKey::read(&written).unwrap();
        let opened = |key: &SealKey, sealed: &Sealed, place: &str| {
            let value = key.open(sealed, place);
            value.map(|value| value.expose_secret().to_owned())
        };
        let mut changed = sealed.clone();
        changed.bytes[0] ^= 1;
        let mut short = sealed.clone();
        short.nonce.pop();
        let rows = [
            (opened(&key, &sealed, "here"), Some("canary")),
            (opened(&read, &sealed, "here"), Some("canary")),
            (opened(&key, &sealed, "there"), None),
            (opened(&other, &sealed, "here"), None),
            (opened(&key, &changed, "here"), None),
            (opened(&key, &short, "here"), None),
        ];
        for (at, (opened, expected)) in rows.into_iter().enumerate() {
            assert_eq!(opened.as_deref(), expected, "row {at}");
        }
        assert_ne!(key.seal("canary", "here").unwrap(), sealed, "a nonce each");
    }

    #[test]
    fn reads_no_key_from_anything_else() {
        for written in ["", "00", &"zz".repeat(32), &"0".repeat(63), &"é".repeat(32)] {
            assert!(SealKey::read(&written.into()).is_none(), "{written}");
        }
    }
}
