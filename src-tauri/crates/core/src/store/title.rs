//! A session's title, made from its first prompt: one line that reads as words.

/// How much of the first prompt becomes the session's title.
const TITLE_CHARS: usize = 60;

/// The first sentence of a prompt without its markup, shortened at a word.
pub(super) fn of_prompt(prompt: &str) -> String {
    let lines = || {
        prompt
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && !line.starts_with("```");
    let line = lines().find(says).or_else(|| lines().next());
    let line = line.unwrap_or_default();
    let sentence = first_sentence(&without_markup(line));
    // Marks alone are all that was said.
    if sentence.chars().any(char::is_alphanumeric) {
        shortened(&sentence)
    } else {
        shortened(line)
    }
}

/// The title of a session's copy.
pub(super) fn of_fork(title: &str) -> String {
    let counted = title
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" (fork"));
    let (name, number) = match counted {
        Some((name, "")) => (name, Some(1)),
        Some((name, number)) => (name, number.trim_start().parse::<u32>().ok()),
        None => (title, None),
    };
    match number {
        Some(number) => format!("{name} (fork {})", number.saturating_add(1)),
        None => format!("{title} (fork)"),
    }
}

/// Headings, quotes and list marks at the front, emphasis and code marks anywhere; a link reads
/// as its text.
fn without_markup(line: &str) -> String {
    let mark = |c: char| matches!(c, '#' | '>' | '-' | '*' | '+' | ' ');
    let bare = line.trim_start_matches(mark);
    let line = if bare.is_empty() { line } else { bare };
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, link)) = rest.split_once("](") {
        let (Some(start), Some((_, after))) = (before.rfind('['), link.split_once(')')) else {
            break;
        };
        let front = &before[..start];
        plain.push_str(front.strip_suffix('!').unwrap_or(front));
        plain.push_str(&before[start + 1..]);
        rest = after;
    }
    plain.push_str(rest);
    let plain = plain.replace("**", "").replace("__", "").replace('`', "");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A full stop inside a word (a file's name, a number) ends no sentence, nor does one after a
/// letter alone.
fn first_sentence(line: &str) -> String {
    let mut words = 0;
    for (at, _) in line.match_indices(' ') {
        words += 1;
        let before = &line[..at];
        let long = before
            .rsplit(' ')
            .next()
            .is_some_and(|word| word.chars().count() > 3);
        if before.ends_with(['?', '!']) || (before.ends_with('.') && long && words > 1) {
            return before.trim_end_matches('.').to_owned();
        }
    }
    match line.strip_suffix('.') {
        Some(sentence) if !sentence.is_empty() && !sentence.ends_with('.') => sentence.to_owned(),
        Some(_) | None => line.to_owned(),
    }
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let short: String = line.chars().take(TITLE_CHARS).collect();
    let at_word = short.rfind(' ').filter(|at| *at > TITLE_CHARS / 2);
    let short = at_word.map_or(short.as_str(), |at| &short[..at]);
    format!("{}…", short.trim_end_matches([' ', ',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_prompts() {
        let long = "Explain the write-ahead log of SQLite to somebody who knows databases well";
        for (prompt, expected) in [
            ("why?", "why?"),
            ("  hello\n\nworld ", "hello"),
            ("Fix this. It fails since Monday.", "Fix this"),
            (
                "Look at main.rs and 3.5 more. Then go on.",
                "Look at main.rs and 3.5 more",
            ),
            ("e.g. this one", "e.g. this one"),
            ("Really?! Yes.", "Really?!"),
            ("# A **bold** `title`", "A bold title"),
            (
                "- [ ] see [the page](https://a.example/b) now",
                "[ ] see the page now",
            ),
            (
                "see [the page](https://a.example/b) now",
                "see the page now",
            ),
            ("```rust\nfn main() {}\n```", "fn main() {}"),
            ("---\n> quoted", "quoted"),
            ("…", "…"),
            ("***", "***"),
            ("[](https://a.example)", "[](https://a.example)"),
            (
                long,
                "Explain the write-ahead log of SQLite to somebody who knows…",
            ),
        ] {
            assert_eq!(of_prompt(prompt), expected, "{prompt}");
        }
        let word = "x".repeat(90);
        assert_eq!(of_prompt(&word).chars().count(), TITLE_CHARS + 1);
    }

    #[test]
    fn titles_of_forks() {
        for (title, expected) in [
            ("why?", "why? (fork)"),
            ("why? (fork)", "why? (fork 2)"),
            ("why? (fork 9)", "why? (fork 10)"),
            ("a (forked)", "a (forked) (fork)"),
            ("", " (fork)"),
        ] {
            assert_eq!(of_fork(title), expected);
        }
    }
}
