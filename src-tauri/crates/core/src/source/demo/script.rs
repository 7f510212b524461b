//! Which parts a reply has, in which order.

use serde_json::json;

use super::replies;
use super::steer::{Steer, Word};
use super::stream::{Answer, Input, Pace, Page, Script, Writer};

/// What the demo calls its model.
pub(super) const MODEL: &str = "weir-demo";

/// The demo's reply to `prompt`, in a session that has had `history_turns` turns before.
pub(super) fn script(prompt: &str, history_turns: usize) -> Script {
    let steer = Steer::read(prompt);
    let pace = if steer.asks(Word::Fast) {
        Pace::Fast
    } else {
        Pace::Human
    };
    let input = made_up_input(prompt, history_turns);
    let mut writer = Writer::start(MODEL, seed(prompt, history_turns), input, pace);
    think(&mut writer, &steer);
    if steer.asks(Word::Error) {
        writer.unfinished_text(replies::BEFORE_ERROR);
        return writer.fail("overloaded_error", replies::ERROR);
    }
    if steer.asks(Word::Cut) {
        writer.unfinished_text(replies::BEFORE_CUT);
        return writer.cut();
    }
    if steer.names_content() {
        show(&mut writer, &steer);
    } else {
        introduce(&mut writer, history_turns);
    }
    writer.stop()
}

fn think(writer: &mut Writer, steer: &Steer) {
    writer.thinking(
        if steer.shows(Word::Think) {
            replies::LONG_THINKING
        } else {
            replies::THINKING
        },
        replies::SIGNATURE,
    );
    if steer.asks(Word::Everything) {
        writer.redacted_thinking(replies::SEALED);
    }
}

/// The reply to anything that names no part.
fn introduce(writer: &mut Writer, history_turns: usize) {
    if history_turns == 0 {
        writer.text(replies::HELLO);
    } else {
        writer.text(&replies::hello_again(history_turns + 1));
    }
    search(writer);
    cite(writer);
    writer.text(&format!("\n\n{}{}", replies::WORDS, replies::REAL_SOURCE));
}

/// The parts that the prompt names.
fn show(writer: &mut Writer, steer: &Steer) {
    writer.text(replies::SHORT_HELLO);
    if steer.shows(Word::Tool) || steer.shows(Word::Cite) {
        search(writer);
    }
    if steer.shows(Word::Tool) {
        run(writer);
        fetch(writer);
        writer.text(replies::AFTER_TOOLS);
    }
    if steer.shows(Word::Cite) {
        cite(writer);
    }
    let parts = [
        (Word::Code, replies::CODE),
        (Word::Table, replies::TABLE),
        (Word::List, replies::LIST),
        (Word::Math, replies::MATH),
    ];
    for (word, part) in parts {
        if steer.shows(word) {
            writer.text(part);
        }
    }
    // Not part of everything, which is to be over within a minute.
    if steer.asks(Word::Long) {
        writer.text(&replies::long());
    }
    writer.text(replies::GOODBYE);
}

fn search(writer: &mut Writer) {
    let found = |page: &Page| {
        json!({
            "type": "web_search_result", "url": page.url, "title": page.title,
            "encrypted_content": "demo", "page_age": null,
        })
    };
    let results = replies::PAGES.iter().map(found).collect();
    let query = [
        "{\"query\": \"what ",
        "is a weir, ",
        "made-up ",
        "search\"}",
    ];
    writer.tool("web_search", &query, Answer::Value(results));
}

fn run(writer: &mut Writer) {
    let command = ["{\"command\": ", "\"echo made up\"}"];
    let result = json!({
        "type": "bash_code_execution_result", "stdout": "made up\n", "stderr": "",
        "return_code": 0, "content": [],
    });
    writer.tool("bash_code_execution", &command, Answer::Value(result));
}

fn fetch(writer: &mut Writer) {
    let url = ["{\"url\": ", "\"https://example.com/missing\"}"];
    writer.tool("web_fetch", &url, Answer::Failure("url_not_accessible"));
}

fn cite(writer: &mut Writer) {
    writer.text(replies::BEFORE_CITED);
    for (page, (sentence, after)) in replies::PAGES.iter().zip(replies::CITED) {
        writer.cited_text(sentence, *page);
        writer.text(after);
    }
}

/// Grows with the prompt and the session, as a real count would.
fn made_up_input(prompt: &str, history_turns: usize) -> Input {
    let words = as_count(prompt.split_whitespace().count());
    let turns = as_count(history_turns);
    Input {
        fresh: 12 + words * 4 / 3,
        cache_read: if turns == 0 {
            0
        } else {
            1_200 + (turns - 1) * 340
        },
        cache_write: if turns == 0 { 1_200 } else { 340 },
    }
}

fn as_count(number: usize) -> u64 {
    // Past a million the demo's numbers stop growing.
    u64::try_from(number).unwrap_or(u64::MAX).min(1_000_000)
}

/// FNV-1a: tells replies apart without chance and without a clock.
fn seed(prompt: &str, history_turns: usize) -> u64 {
    let turns = as_count(history_turns).to_le_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in prompt.bytes().chain(turns) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}
