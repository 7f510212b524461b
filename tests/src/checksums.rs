//! Makes checksums fit again in an event stream that was damaged on purpose.

/// The same bytes with every checksum made to fit, as far as the lengths make sense: so that
/// damage reaches what is behind the checksums.
pub fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut fixed = bytes.to_vec();
    let mut at = 0;
    while fixed.len() >= at + 16 {
        let prelude = crc32fast::hash(&fixed[at..at + 8]).to_be_bytes();
        fixed[at + 8..at + 12].copy_from_slice(&prelude);
        let total = u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let end = at.saturating_add(total as usize);
        if total < 16 || end > fixed.len() {
            break;
        }
        let whole = crc32fast::hash(&fixed[at..end - 4]).to_be_bytes();
        fixed[end - 4..end].copy_from_slice(&whole);
        at = end;
    }
    fixed
}
