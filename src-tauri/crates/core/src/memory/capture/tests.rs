//! The table of sentences: what is kept, as what, and what is not.

use weir_protocol::MemoryKind::{self, Decision, Fact, Instruction, Note, Preference};

use super::{Found, LOOKED_AT, MOST_OF_A_PROMPT, has_placeholder, pattern, worth_keeping};
use crate::memory::capture::rules::{ASIDE, EXPLICIT, PASSING, RULES, TROUBLE};

/// A prompt, and what is kept of it.
const KEPT: &[(&str, MemoryKind, &str)] = &[
    (
        "Remember: the key to the archive is under the mat.",
        Note,
        "the key to the archive is under the mat.",
    ),
    (
        "remember that my sister's wedding is on 5 May",
        Note,
        "my sister's wedding is on 5 May",
    ),
    (
        "Please remember that the office is closed on Fridays. What is 2 + 2?",
        Note,
        "the office is closed on Fridays.",
    ),
    (
        "Remember: bins go out on Monday. Glass on Friday. Is that odd? Yes.",
        Note,
        "bins go out on Monday. Glass on Friday.",
    ),
    (
        "Keep in mind that deploys happen on Tuesdays.",
        Note,
        "deploys happen on Tuesdays.",
    ),
    (
        "Don't forget: invoices go to accounting",
        Note,
        "invoices go to accounting",
    ),
    (
        "Remember to run the linter before every commit.",
        Note,
        "to run the linter before every commit.",
    ),
    ("Can you remember that I use fish?", Note, "I use fish"),
    (
        "Remember: today's errors are tomorrow's tests",
        Note,
        "today's errors are tomorrow's tests",
    ),
    (
        "Merk dir: Der Server heißt Alster.",
        Note,
        "Der Server heißt Alster.",
    ),
    (
        "Bitte merke dir, dass ich Vegetarier bin.",
        Note,
        "ich Vegetarier bin.",
    ),
    (
        "Souviens-toi que la réunion est le lundi.",
        Note,
        "la réunion est le lundi.",
    ),
    (
        "Recuerda que la contraseña caduca en marzo.",
        Note,
        "la contraseña caduca en marzo.",
    ),
    ("请记住：我们周五发布", Note, "我们周五发布"),
    ("会議は月曜日だと覚えておいて", Note, "会議は月曜日だ"),
    ("Always use tabs.", Instruction, "Always use tabs."),
    (
        "Please always answer in German.",
        Instruction,
        "always answer in German.",
    ),
    (
        "Never commit directly to main.",
        Instruction,
        "Never commit directly to main.",
    ),
    (
        "You should never touch the generated files.",
        Instruction,
        "You should never touch the generated files.",
    ),
    (
        "From now on, write tests first.",
        Instruction,
        "From now on, write tests first.",
    ),
    (
        "In this project, indent with two spaces.",
        Instruction,
        "In this project, indent with two spaces.",
    ),
    (
        "Don't ever force-push.",
        Instruction,
        "Don't ever force-push.",
    ),
    (
        "Don't use default exports in this repository.",
        Instruction,
        "Don't use default exports in this repository.",
    ),
    (
        "When I ask for code, always use TypeScript.",
        Instruction,
        "When I ask for code, always use TypeScript.",
    ),
    (
        "Answer in one paragraph unless I say otherwise.",
        Instruction,
        "Answer in one paragraph unless I say otherwise.",
    ),
    (
        "Always handle errors explicitly.",
        Instruction,
        "Always handle errors explicitly.",
    ),
    (
        "Antworte mir immer auf Deutsch.",
        Instruction,
        "Antworte mir immer auf Deutsch.",
    ),
    (
        "Ab jetzt bitte ohne Semikolons.",
        Instruction,
        "Ab jetzt bitte ohne Semikolons.",
    ),
    (
        "Réponds toujours en français.",
        Instruction,
        "Réponds toujours en français.",
    ),
    ("Siempre usa pnpm.", Instruction, "Siempre usa pnpm."),
    ("以后都用中文回答", Instruction, "以后都用中文回答"),
    ("必ず日本語で答えて", Instruction, "必ず日本語で答えて"),
    (
        "I prefer short answers.",
        Preference,
        "I prefer short answers.",
    ),
    (
        "By the way, I prefer spaces over tabs.",
        Preference,
        "I prefer spaces over tabs.",
    ),
    (
        "I really like functional code",
        Preference,
        "I really like functional code",
    ),
    (
        "I don't like comments that repeat the code.",
        Preference,
        "I don't like comments that repeat the code.",
    ),
    (
        "I hate long functions!",
        Preference,
        "I hate long functions!",
    ),
    ("My name is Ada.", Preference, "My name is Ada."),
    (
        "Hi! My name is Ada and I need help with a query.",
        Preference,
        "My name is Ada and I need help with a query.",
    ),
    (
        "my favourite colour is teal",
        Preference,
        "my favourite colour is teal",
    ),
    (
        "My time zone is Europe/Berlin",
        Preference,
        "My time zone is Europe/Berlin",
    ),
    (
        "I am a backend developer.",
        Preference,
        "I am a backend developer.",
    ),
    (
        "I'm allergic to peanuts.",
        Preference,
        "I'm allergic to peanuts.",
    ),
    (
        "I work for a small hospital.",
        Preference,
        "I work for a small hospital.",
    ),
    ("I live in Lisbon", Preference, "I live in Lisbon"),
    ("Call me Sam.", Preference, "Call me Sam."),
    (
        "Ich bevorzuge kurze Antworten.",
        Preference,
        "Ich bevorzuge kurze Antworten.",
    ),
    ("Je préfère le thé.", Preference, "Je préfère le thé."),
    ("Me llamo Lucía.", Preference, "Me llamo Lucía."),
    ("我喜欢简短的回答", Preference, "我喜欢简短的回答"),
    ("私は紅茶が好きです", Preference, "私は紅茶が好きです"),
    ("We use Postgres 17.", Fact, "We use Postgres 17."),
    ("We don't use semicolons.", Fact, "We don't use semicolons."),
    (
        "we deploy with Ansible from the release branch",
        Fact,
        "we deploy with Ansible from the release branch",
    ),
    ("I use zsh on Linux.", Fact, "I use zsh on Linux."),
    (
        "Our API lives at api.example.org/v2.",
        Fact,
        "Our API lives at api.example.org/v2.",
    ),
    (
        "Our tests run with cargo nextest.",
        Fact,
        "Our tests run with cargo nextest.",
    ),
    (
        "The tests run with cargo nextest.",
        Fact,
        "The tests run with cargo nextest.",
    ),
    (
        "This project is written in Rust.",
        Fact,
        "This project is written in Rust.",
    ),
    (
        "The staging database is called heron.",
        Fact,
        "The staging database is called heron.",
    ),
    (
        "- The main branch is protected.",
        Fact,
        "The main branch is protected.",
    ),
    ("2. Our linter is Biome", Fact, "Our linter is Biome"),
    ("Wir verwenden Postgres.", Fact, "Wir verwenden Postgres."),
    (
        "Unsere Tests laufen mit nextest.",
        Fact,
        "Unsere Tests laufen mit nextest.",
    ),
    ("Nous utilisons Django.", Fact, "Nous utilisons Django."),
    ("Usamos Postgres.", Fact, "Usamos Postgres."),
    ("我们使用Postgres", Fact, "我们使用Postgres"),
    (
        "We decided to drop Windows 7.",
        Decision,
        "We decided to drop Windows 7.",
    ),
    ("We've switched to Bun.", Decision, "We've switched to Bun."),
    (
        "We are going with SQLite.",
        Decision,
        "We are going with SQLite.",
    ),
    (
        "Wir haben uns für Tauri entschieden.",
        Decision,
        "Wir haben uns für Tauri entschieden.",
    ),
    ("我们决定使用Rust", Decision, "我们决定使用Rust"),
];

/// Of these nothing is kept.
const LEFT: &[&str] = &[
    "",
    "hello",
    "What is the capital of France?",
    "Write a function that parses dates.",
    "Explain this code to me.",
    "Do you remember what I said?",
    "Remember when we fixed the parser?",
    "Remember me?",
    "Never mind.",
    "Never heard of it.",
    "Always the same problem with this file.",
    "I always thought so.",
    "Should we always use tabs?",
    "I prefer this.",
    "I like that idea.",
    "I like the first one better.",
    "I love it!",
    "I'd like you to write a poem.",
    "I hate this error.",
    "I would like to know more.",
    "We use this function to parse dates.",
    "I use it.",
    "I run the script and it prints nothing.",
    "I run npm install and get nothing.",
    "We use the following code:",
    "Our build is failing.",
    "Our server is down.",
    "The tests fail on my machine.",
    "The build is broken.",
    "The server is slow.",
    "The test is red.",
    "The API is returning 500.",
    "The app crashes at start.",
    "My question is about lifetimes.",
    "My code is not working.",
    "My guess is a race.",
    "I am trying to sort a list.",
    "I'm a bit confused.",
    "I am not sure.",
    "I'm getting an error.",
    "I live with it.",
    "Call me when it is done.",
    "Right now we use Postgres.",
    "We use Redis for now.",
    "Today I prefer tea.",
    "I prefer tabs this time.",
    "We moved it to the other file.",
    "We should decide.",
    "Is it true that we use Rust?",
    "Do we use Postgres?",
    "If we use Postgres, what changes?",
    "Imagine we use Postgres.",
    "He said: \"I prefer tabs.\"",
    "> I prefer tabs.",
    "    We use Postgres.",
    "```\nWe use Postgres.\nI prefer tabs.\n```",
    "Translate: I prefer tea",
    "Fix the bug in the parser",
    "Thanks, that works!",
    "In the future I will ask again.",
    "Immer noch kaputt.",
    "Ich mag das.",
    "Wir verwenden heute Postgres.",
    "Je préfère ça.",
    "我喜欢这个",
    "现在我们用Postgres",
    "🎉🎉🎉",
    "Remember: x",
];

#[test]
#[expect(clippy::print_stdout, reason = "the figure is the result")]
fn keeps_what_lasts_and_leaves_the_rest() {
    for (prompt, kind, content) in KEPT {
        let expected = Found {
            content: (*content).to_owned(),
            kind: *kind,
        };
        assert_eq!(worth_keeping(prompt), [expected], "{prompt}");
    }
    for prompt in LEFT {
        assert_eq!(worth_keeping(prompt), [], "{prompt}");
    }
    println!("{} sentences kept, {} left", KEPT.len(), LEFT.len());
}

#[test]
fn finds_statements_among_others_and_looks_at_both_ends_of_a_paste() {
    let prompt = "Fix the parser. We use Postgres, e.g. for jobs. Why is it slow? I prefer SQL.";
    let found: Vec<String> = worth_keeping(prompt)
        .into_iter()
        .map(|f| f.content)
        .collect();
    assert_eq!(found, ["We use Postgres, e.g. for jobs.", "I prefer SQL."]);

    let paste = "We use Postgres in line. ".repeat(40_000);
    let prompt = format!("I prefer tea.\n```\n{paste}\n```\nThis is log output.\nI like oats.\n");
    assert!(prompt.len() > 200 * LOOKED_AT);
    let found: Vec<String> = worth_keeping(&prompt)
        .into_iter()
        .map(|f| f.content)
        .collect();
    assert_eq!(found[0], "I prefer tea.");
    assert!(found.len() <= MOST_OF_A_PROMPT);
    let many: String = (0..50)
        .map(|n| format!("We use tool number {n}.\n"))
        .collect();
    assert_eq!(worth_keeping(&many).len(), MOST_OF_A_PROMPT);
}

#[test]
fn long_sentences_are_no_statements() {
    let long = format!("I prefer {}.", "very ".repeat(100));
    assert_eq!(worth_keeping(&long), []);
    let asked = format!("Remember: {}.", "word ".repeat(100));
    assert_eq!(worth_keeping(&asked).len(), 1);
    let too_long = format!("Remember: {}.", "word ".repeat(300));
    assert_eq!(worth_keeping(&too_long), []);
}

#[test]
fn sees_placeholders_of_guards() {
    for (text, expected) in [
        ("my email is [EMAIL_1]", true),
        ("[API_KEY_12] is ours", true),
        ("an array [a_1]", false),
        ("see [1]", false),
        ("[TODO]", false),
    ] {
        assert_eq!(has_placeholder(text), expected, "{text}");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure is the result")]
fn every_pattern_compiles() {
    let rules = RULES.iter().flat_map(|rule| [Some(rule.says), rule.unless]);
    let texts = EXPLICIT.iter().copied().chain([ASIDE, PASSING, TROUBLE]);
    let mut count = 0;
    for text in rules.flatten().chain(texts) {
        assert!(pattern(text).is_some(), "{text}");
        count += 1;
    }
    println!("{count} patterns");
}
