//! The words a dialect is made of, for libFuzzer to put where it likes.

use std::collections::BTreeSet;

/// Longer ones are sentences.
const LONGEST: usize = 48;

/// Every short string in the seeds, with its quotes, and what JSON and frames are made of.
pub(crate) fn dictionary(seeds: &[&[u8]]) -> String {
    let mut words: BTreeSet<&[u8]> = BTreeSet::new();
    words.extend(STRUCTURE);
    for seed in seeds {
        // Between one quote and the next; escaped ones only make the words odder.
        let quotes = seed.iter().enumerate().filter(|(_, byte)| **byte == b'"');
        let quotes: Vec<usize> = quotes.map(|(at, _)| at).collect();
        for pair in quotes.windows(2) {
            let word = &seed[pair[0]..=pair[1]];
            if word.len() <= LONGEST {
                words.insert(word);
            }
        }
    }
    words.into_iter().map(entry).collect()
}

const STRUCTURE: [&[u8]; 14] = [
    b"data: ",
    b"event: ",
    b"\n\n",
    b"\r\n",
    b"\\ud83d",
    b"\\ude00",
    b"null",
    b"[]",
    b"{}",
    b"[{",
    b"}]",
    b"18446744073709551615",
    b"1e999",
    b"\xef\xbb\xbf",
];

fn entry(word: &[u8]) -> String {
    let letters = word.iter().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        0x20..0x7f => char::from(*byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    });
    format!("\"{}\"\n", letters.collect::<String>())
}
