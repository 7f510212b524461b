//! Secrets that are longer than one entry of the smallest keychain: they are kept in several.
//!
//! Windows holds 2,560 bytes of UTF-16 an entry, and the key of a service account has more. The
//! entry of the account then says how many parts there are and what they come to together, and
//! is written last: parts that do not belong together are never read as a key.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::{Keychain, KeychainError, LONGEST_ENTRY};

/// No key has this in front: it has spaces.
const MARK: &str = "weir parts ";
/// As many as the longest key needs.
pub(super) const MOST_PARTS: usize = 8;

pub(super) fn set(
    keychain: &dyn Keychain,
    account: &str,
    secret: &SecretString,
) -> Result<(), KeychainError> {
    let letters: Vec<char> = secret.expose_secret().chars().collect();
    if letters.len() <= LONGEST_ENTRY {
        keychain.set(account, secret)?;
        return delete_parts(keychain, account, 0);
    }
    let parts: Vec<SecretString> = letters
        .chunks(LONGEST_ENTRY)
        .map(|part| SecretString::from(part.iter().collect::<String>()))
        .collect();
    if parts.len() > MOST_PARTS {
        return Err(KeychainError::TooLong);
    }
    for (number, part) in parts.iter().enumerate() {
        keychain.set(&part_name(account, number), part)?;
    }
    let head = format!("{MARK}{} {}", parts.len(), digest(secret));
    keychain.set(account, &head.into())?;
    delete_parts(keychain, account, parts.len())
}

pub(super) fn get(
    keychain: &dyn Keychain,
    account: &str,
) -> Result<Option<SecretString>, KeychainError> {
    let Some(head) = keychain.get(account)? else {
        return Ok(None);
    };
    let Some(told) = head.expose_secret().strip_prefix(MARK) else {
        return Ok(Some(head));
    };
    let damaged = || {
        let reason = "the parts of this key do not belong together. Store it again.";
        KeychainError::Refused(reason.into())
    };
    let (count, expected) = told.split_once(' ').ok_or_else(damaged)?;
    let count: usize = count.parse().map_err(|_| damaged())?;
    let mut whole = String::new();
    for number in 0..count.min(MOST_PARTS) {
        let part = keychain.get(&part_name(account, number))?;
        whole.push_str(part.ok_or_else(damaged)?.expose_secret());
    }
    let whole = SecretString::from(whole);
    if digest(&whole) == expected {
        Ok(Some(whole))
    } else {
        Err(damaged())
    }
}

pub(super) fn delete(keychain: &dyn Keychain, account: &str) -> Result<(), KeychainError> {
    keychain.delete(account)?;
    delete_parts(keychain, account, 0)
}

/// Removes what a longer key left behind, up to the first part that is not there.
fn delete_parts(keychain: &dyn Keychain, account: &str, from: usize) -> Result<(), KeychainError> {
    for number in from..MOST_PARTS {
        let name = part_name(account, number);
        if keychain.get(&name)?.is_none() {
            break;
        }
        keychain.delete(&name)?;
    }
    Ok(())
}

fn part_name(account: &str, number: usize) -> String {
    format!("{account} part {}", number + 1)
}

fn digest(secret: &SecretString) -> String {
    let bytes = Sha256::digest(secret.expose_secret().as_bytes());
    bytes
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::MemoryKeychain;

    fn secret(letters: usize) -> SecretString {
        let text: String = (0..letters)
            .map(|n| char::from(b'a' + (n % 26) as u8))
            .collect();
        text.into()
    }

    #[test]
    fn keys_of_every_length_come_back_and_leave_nothing_behind() {
        let keychain = MemoryKeychain::default();
        for letters in [10_000, 1, 2_600, 1_280, 1_281, 9_999, 30] {
            let key = secret(letters);
            set(&keychain, "some", &key).unwrap();
            let found = get(&keychain, "some").unwrap().unwrap();
            assert_eq!(found.expose_secret(), key.expose_secret(), "{letters}");
            let used = if letters <= LONGEST_ENTRY {
                0
            } else {
                letters.div_ceil(LONGEST_ENTRY)
            };
            for number in 0..MOST_PARTS {
                let part = keychain.get(&part_name("some", number)).unwrap();
                assert_eq!(part.is_some(), number < used, "{letters}, part {number}");
            }
        }
        set(&keychain, "some", &secret(5_000)).unwrap();
        delete(&keychain, "some").unwrap();
        assert!(get(&keychain, "some").unwrap().is_none());
        assert!(keychain.get("some part 1").unwrap().is_none());
        assert!(matches!(
            set(&keychain, "some", &secret(10_241)),
            Err(KeychainError::TooLong)
        ));
    }

    #[test]
    fn parts_of_two_keys_are_never_read_as_one() {
        let keychain = MemoryKeychain::default();
        set(&keychain, "some", &secret(3_000)).unwrap();
        keychain.set("some part 2", &"of another".into()).unwrap();
        assert!(matches!(
            get(&keychain, "some"),
            Err(KeychainError::Refused(_))
        ));
        keychain.delete("some part 2").unwrap();
        assert!(matches!(
            get(&keychain, "some"),
            Err(KeychainError::Refused(_))
        ));
    }
}
