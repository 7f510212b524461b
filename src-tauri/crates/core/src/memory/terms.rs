//! Text to the terms that are searched for: what is kept and what is asked are cut alike.
//!
//! SQLite's `unicode61` finds words between spaces, and takes a sentence in Chinese or Japanese
//! for one word; its `trigram` needs three letters where most Chinese words have two, and finds
//! "use" in "because". So the text is cut here, letters that are written without spaces into
//! pairs, and the index gets words between spaces. A term has letters and digits only: however
//! the prompt reads, none is an operator of the query.

/// What is longer is no word that anybody asks for again.
const LONGEST_TERM: usize = 48;
/// A question stands at either end of what is pasted around it.
const LOOKED_AT: usize = 16 * 1024;
const MOST_TERMS: usize = 32;

/// All terms of a text, in order.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut paired = false;
    for letter in text.chars() {
        if is_unspaced(letter) {
            end_word(&mut word, &mut terms);
            if let Some(before) = before {
                terms.push(String::from_iter([before, letter]));
                paired = true;
            }
            before = Some(letter);
            continue;
        }
        if let Some(alone) = before.take().filter(|_| !paired) {
            terms.push(alone.to_string());
        }
        paired = false;
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase().filter(|letter| !is_mark(*letter)));
        } else if !is_mark(letter) {
            end_word(&mut word, &mut terms);
        }
    }
    end_word(&mut word, &mut terms);
    if let Some(alone) = before.filter(|_| !paired) {
        terms.push(alone.to_string());
    }
    terms
}

fn end_word(word: &mut String, terms: &mut Vec<String>) {
    if !word.is_empty() {
        word.truncate(word.floor_char_boundary(LONGEST_TERM));
        terms.push(std::mem::take(word));
    }
}

/// The terms of a prompt that say what it is about, each once: from its beginning and its end,
/// so that a prompt of a megabyte costs what one of a page does.
pub(crate) fn asked(prompt: &str) -> Vec<String> {
    let [head, tail] = ends(prompt, LOOKED_AT);
    let mut asked: Vec<String> = Vec::new();
    let mut take = |terms: &mut dyn Iterator<Item = String>| {
        let mut taken = 0;
        for term in terms {
            if taken < MOST_TERMS && is_telling(&term) && !asked.contains(&term) {
                asked.push(term);
                taken += 1;
            }
        }
    };
    take(&mut terms(head).into_iter());
    take(&mut terms(tail).into_iter().rev());
    asked
}

/// The beginning and the end of a text, each of so many bytes at most, cut between words where
/// there are any; together the whole text if it is no longer.
pub(super) fn ends(text: &str, each: usize) -> [&str; 2] {
    if text.len() <= each {
        return [text, ""];
    }
    let head = &text[..text.floor_char_boundary(each)];
    let head = &head[..head.rfind(char::is_whitespace).unwrap_or(head.len())];
    let rest = &text[head.len()..];
    if rest.len() <= each {
        return [head, rest];
    }
    let tail = &rest[rest.ceil_char_boundary(rest.len() - each)..];
    [head, &tail[tail.find(char::is_whitespace).unwrap_or(0)..]]
}

/// Letters of scripts that put no space between words, or hang endings onto them.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0E00}'..='\u{0E7F}'
        | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// An accent that stands by itself, after its letter.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{0300}'..='\u{036F}')
}

fn is_telling(term: &str) -> bool {
    let one_letter = term.len() == 1;
    !one_letter && STOP_WORDS.binary_search(&term).is_err()
}

/// The words that any sentence may have, in the languages that memories are found in; sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "als", "am", "an", "and", "are", "as", "at", "auch", "auf", "aus", "avec", "be",
    "been", "bei", "but", "by", "can", "como", "con", "could", "da", "dans", "das", "de", "del",
    "dem", "den", "der", "des", "did", "die", "do", "does", "don", "du", "ein", "eine", "einen",
    "el", "en", "er", "es", "est", "et", "for", "from", "für", "get", "had", "has", "have", "he",
    "her", "his", "how", "ich", "if", "il", "im", "in", "into", "is", "ist", "it", "its", "ja",
    "je", "just", "la", "las", "le", "les", "ll", "lo", "los", "ma", "make", "man", "me", "mein",
    "meine", "mi", "mich", "mir", "mit", "mon", "more", "my", "nicht", "no", "not", "nous", "now",
    "of", "on", "or", "our", "par", "para", "pas", "please", "por", "pour", "que", "qui", "re",
    "se", "she", "should", "sich", "sie", "sind", "so", "some", "su", "sur", "tell", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "too", "tu",
    "un", "una", "und", "une", "up", "us", "use", "ve", "von", "vous", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "wie", "will", "wir", "with", "would", "you",
    "your", "zu", "zum", "zur",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_every_script_into_terms() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("We use Postgres 17.", &["we", "use", "postgres", "17"]),
            ("don't", &["don", "t"]),
            ("naïve ÉCOLE Straße", &["naïve", "école", "straße"]),
            ("cafe\u{301} olé", &["cafe", "olé"]),
            ("我喜欢茶", &["我喜", "喜欢", "欢茶"]),
            ("茶", &["茶"]),
            ("用Rust写", &["用", "rust", "写"]),
            (
                "テストは cargo で",
                &["テス", "スト", "トは", "cargo", "で"],
            ),
            ("ภาษาไทย", &["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
            ("👩‍💻 🎉 — ***", &[]),
            ("привет Мир", &["привет", "мир"]),
            ("a\"b OR (c*) NEAR:^d", &["a", "b", "or", "c", "near", "d"]),
            ("nul\0byte", &["nul", "byte"]),
        ];
        for (text, expected) in cases {
            assert_eq!(terms(text), *expected, "{text:?}");
        }
        assert_eq!(terms(&"x".repeat(500))[0].len(), LONGEST_TERM);
    }

    #[test]
    fn asks_for_what_tells_from_both_ends_of_a_prompt() {
        assert_eq!(asked("What is the colour of my bike?"), ["colour", "bike"]);
        assert_eq!(asked("the the of a is"), [""; 0]);
        let paste = "lorem ipsum ".repeat(90_000);
        let found = asked(&format!("zebra {paste} yak?"));
        assert_eq!(found, ["zebra", "lorem", "ipsum", "yak"]);
        let many: String = (0..100_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(asked(&many).len(), 2 * MOST_TERMS);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }
}
