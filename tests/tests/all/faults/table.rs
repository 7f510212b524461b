//! What can go wrong between a source and Weir, and what has to come of it.

use std::time::Duration;

use serde_json::json;
use weir_tests::faulty::{Act, Answer, head};
use weir_tests::replies::{ANSWER, FIRST, Pieces, content_type, pieces};

/// One dialect as it goes over the wire, and a key that must not come back.
pub(super) struct Wire<'a> {
    pub(super) dialect: &'static str,
    pub(super) pieces: Pieces,
    pub(super) key: &'a str,
    /// Another server, to which a redirect points.
    pub(super) elsewhere: &'a str,
}

impl<'a> Wire<'a> {
    pub(super) fn new(dialect: &'static str, key: &'a str, elsewhere: &'a str) -> Self {
        Self {
            dialect,
            pieces: pieces(dialect),
            key,
            elsewhere,
        }
    }

    fn head(&self, more: &str) -> Act {
        Act::Send(head(200, content_type(self.dialect), more))
    }

    /// A stream that begins well and has these bytes.
    pub(super) fn says(&self, bytes: impl Into<Vec<u8>>) -> Answer {
        vec![self.head(""), Act::Send(bytes.into())]
    }

    pub(super) fn whole(&self) -> Answer {
        self.says(self.pieces.whole())
    }

    pub(super) fn half(&self) -> Answer {
        self.says(self.pieces.half())
    }

    /// The half that a person sees, and then this.
    fn half_then(&self, more: impl AsRef<[u8]>) -> Answer {
        self.says([self.pieces.half().as_bytes(), more.as_ref()].concat())
    }

    /// A refusal that carelessly repeats the key.
    pub(super) fn refuses(&self, status: u16, headers: &str) -> Answer {
        let words = format!("Not now, {}.", self.key);
        let body = json!({"error": {"type": "some_error", "message": words}});
        let head = head(status, "application/json", headers);
        vec![Act::Send([head, body.to_string().into_bytes()].concat())]
    }

    /// One whole frame with this in it.
    fn frame(&self, data: &str) -> String {
        match self.dialect {
            "ollama" => format!("{data}\n"),
            _ => format!("data: {data}\n\n"),
        }
    }
}

/// Which patience a fault is met with: silence takes its time, and only where it is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    Calm,
    Nervous,
}

/// How a turn has to end.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Complete,
    /// With an error whose sentence has these words.
    Failed(&'static str),
}

pub(super) struct Fault {
    pub(super) name: &'static str,
    pub(super) answers: Vec<Answer>,
    pub(super) retries: usize,
    /// The first wait, where the source told one.
    pub(super) delay_ms: Option<u64>,
    pub(super) text: &'static str,
    pub(super) calls: usize,
    pub(super) end: End,
    pub(super) watch: Watch,
}

impl Fault {
    /// After which the reply is whole all the same.
    fn harmless(name: &'static str, answers: Vec<Answer>) -> Self {
        Self {
            name,
            retries: answers.len() - 1,
            answers,
            delay_ms: None,
            text: ANSWER,
            calls: 0,
            end: End::Complete,
            watch: Watch::Calm,
        }
    }

    /// After which nothing is there but the reason.
    fn fatal(name: &'static str, answers: Vec<Answer>, words: &'static str) -> Self {
        Self {
            text: "",
            end: End::Failed(words),
            ..Self::harmless(name, answers)
        }
    }

    /// Which breaks the reply off in the middle; never asked again.
    fn midway(name: &'static str, answer: Answer, words: &'static str) -> Self {
        Self {
            text: FIRST,
            ..Self::fatal(name, vec![answer], words)
        }
    }

    fn after(self, delay_ms: u64) -> Self {
        Self {
            delay_ms: Some(delay_ms),
            ..self
        }
    }

    fn watched(self) -> Self {
        Self {
            watch: Watch::Nervous,
            ..self
        }
    }
}

/// What ends the connection, before or in the middle of a reply.
pub(super) fn connection(wire: &Wire<'_>) -> Vec<Fault> {
    let half = wire.pieces.half();
    let whole = || wire.whole();
    let length = format!("content-length: {}\r\n", half.len() + 1000);
    let torn = vec![wire.head(&length), Act::Send(half.clone().into())];
    let chunk = format!("{:x}\r\n{half}\r\n", half.len());
    let reset = || vec![Act::Reset];
    let hello = || vec![Act::Send(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec())];
    let pings = |line: &str| Act::Repeat(line.into(), Duration::from_millis(50));
    vec![
        Fault::midway("cut", wire.half(), "ended before the source said"),
        Fault::midway(
            "cut before the promised length",
            torn.clone(),
            "connection broke",
        ),
        Fault::midway(
            "chunks without an end",
            vec![
                wire.head("transfer-encoding: chunked\r\n"),
                Act::Send(chunk.clone().into()),
            ],
            "connection broke",
        ),
        Fault::midway(
            "a chunk with no length",
            vec![
                wire.head("transfer-encoding: chunked\r\n"),
                Act::Send((chunk + "nonsense\r\n").into()),
            ],
            "connection broke",
        ),
        Fault::midway(
            "stall",
            [wire.half(), vec![Act::Hang]].concat(),
            "Nothing came any more",
        )
        .watched(),
        Fault::midway(
            "keep-alives and nothing else",
            [wire.half(), vec![pings(wire.pieces.keep_alive)]].concat(),
            "said nothing",
        )
        .watched(),
        // Silence is not asked again: it has been waited for as long as a step may be silent.
        Fault::fatal(
            "stall before the head",
            vec![vec![Act::Hang]],
            "Nothing came any more",
        )
        .watched(),
        Fault::fatal(
            "stall after the head",
            vec![vec![wire.head(""), Act::Hang]],
            "was given up after",
        )
        .watched(),
        Fault::harmless(
            "slow drip",
            vec![vec![
                wire.head(""),
                Act::Drip {
                    bytes: wire.pieces.whole().into(),
                    piece: 7,
                    pause: Duration::from_millis(1),
                },
            ]],
        ),
        Fault::harmless("reset before the head, then whole", vec![reset(), whole()]),
        Fault::fatal(
            "reset before the head, always",
            vec![reset(), reset(), reset()],
            "could not be reached",
        ),
        Fault::harmless("closed before the head, then whole", vec![vec![], whole()]),
        Fault::harmless(
            "half a head, then whole",
            vec![vec![Act::Send(b"HTTP/1.1 200 O".to_vec())], whole()],
        ),
        Fault::fatal(
            "no HTTP at all",
            vec![hello(), hello(), hello()],
            "could not be reached",
        ),
        Fault::harmless("empty body, then whole", vec![wire.says(""), whole()]),
        Fault::fatal(
            "empty body, always",
            vec![wire.says(""), wire.says(""), wire.says("")],
            "ended before the source said",
        ),
        Fault::harmless(
            "an end without an end of the body",
            vec![[whole(), vec![Act::Hang]].concat()],
        ),
        Fault::harmless(
            "a reset after the end",
            vec![[whole(), vec![Act::Reset]].concat()],
        ),
    ]
}

/// What a server says in its head.
pub(super) fn refusals(wire: &Wire<'_>) -> Vec<Fault> {
    let whole = || wire.whole();
    let again = |name, status| Fault::harmless(name, vec![wire.refuses(status, ""), whole()]);
    let never =
        |name, status| Fault::fatal(name, vec![wire.refuses(status, "")], "Not now, [key].");
    let then =
        |name, headers: &str| Fault::harmless(name, vec![wire.refuses(429, headers), whole()]);
    let always = |status| {
        vec![status; 3]
            .into_iter()
            .map(|status| wire.refuses(status, ""))
    };
    let there = format!("location: {}/v1/messages\r\n", wire.elsewhere);
    let date = "date: Tue, 17 Nov 2026 12:00:00 GMT\r\n\
        retry-after: Tue, 17 Nov 2026 12:00:01 GMT\r\n";
    let page = head(200, "text/html", "");
    let overloaded = json!({"error": {"type": "overloaded_error", "message": "Too much."}});
    let json = [
        head(200, "application/json", ""),
        overloaded.to_string().into(),
    ]
    .concat();
    vec![
        again("408, then whole", 408),
        again("409, then whole", 409),
        again("429, then whole", 429),
        again("500, then whole", 500),
        again("503, then whole", 503),
        again("529, then whole", 529),
        Fault::harmless(
            "500 and 502, then whole",
            vec![wire.refuses(500, ""), wire.refuses(502, ""), whole()],
        ),
        Fault::fatal("500, always", always(500).collect(), "Not now, [key]."),
        Fault::fatal("529, always", always(529).collect(), "Not now, [key]."),
        never("400", 400),
        never("401", 401),
        never("403", 403),
        never("404", 404),
        never("413", 413),
        then("retry-after in seconds", "retry-after: 0.04\r\n").after(40),
        then(
            "retry-after in milliseconds",
            "retry-after-ms: 30\r\nretry-after: 9\r\n",
        )
        .after(30),
        then("retry-after as a date", date).after(1000),
        Fault::fatal(
            "retry-after an hour",
            vec![wire.refuses(429, "retry-after: 3600\r\n")],
            "Not now, [key].",
        ),
        Fault::fatal(
            "redirect",
            vec![wire.refuses(307, &there)],
            "does not follow",
        ),
        Fault::fatal(
            "redirect for good",
            vec![wire.refuses(308, &there)],
            "does not follow",
        ),
        Fault::fatal(
            "a page",
            vec![vec![Act::Send([page, b"<html>Log in".to_vec()].concat())]],
            "instead of a stream",
        ),
        Fault::fatal(
            "gzip that nobody asked for",
            vec![vec![
                wire.head("content-encoding: gzip\r\n"),
                Act::Send(vec![0x1f, 0x8b, 0x08, 0x00, 0xff, 0x00]),
            ]],
            "packed as gzip",
        ),
        Fault::harmless(
            "overloaded as plain JSON under 200, then whole",
            vec![vec![Act::Send(json)], whole()],
        ),
    ]
}

/// What comes after a source has said that it is done. Gemini alone says no such thing: it
/// gives a reason to finish, and more may follow until the connection ends.
pub(super) fn afterwards(wire: &Wire<'_>) -> Vec<Fault> {
    let pieces = &wire.pieces;
    let more = wire.says([&*pieces.whole(), &pieces.first].concat());
    let error = wire.says([&*pieces.whole(), &pieces.overloaded].concat());
    let early = wire.says([&*pieces.opening, &pieces.ending, &pieces.first].concat());
    let (more_text, early_text, error_end) = match wire.dialect {
        "gemini" => (
            "Grüße, ж *42*.Grüße, ж ",
            FIRST,
            End::Failed("Overloaded just now."),
        ),
        _ => (ANSWER, "", End::Complete),
    };
    vec![
        Fault {
            text: more_text,
            ..Fault::harmless("words after the end", vec![more])
        },
        Fault {
            text: early_text,
            ..Fault::harmless("the end before the words", vec![early])
        },
        Fault {
            end: error_end,
            ..Fault::harmless("an error after the end", vec![error])
        },
    ]
}

/// What a source says inside its stream.
pub(super) fn words(wire: &Wire<'_>) -> Vec<Fault> {
    let whole = || wire.whole();
    let pieces = &wire.pieces;
    let overloaded = || wire.says(pieces.overloaded.clone());
    let begun = || wire.says([&*pieces.opening, &pieces.overloaded].concat());
    let garbage = [0xff, 0xfe, 0x00, b'x', 0xc3, b'\n', 0x80, b'\n', b'\n'];
    let huge = "x".repeat(17 * 1024 * 1024);
    let cut = "ended before the source said";
    let in_character = pieces.second.find('4').unwrap_or_default();
    let second = pieces.second.as_bytes();
    let half_character = [&second[..in_character], &[0xc3]].concat();
    vec![
        Fault::midway(
            "an error",
            wire.half_then(&pieces.overloaded),
            "Overloaded just now.",
        ),
        Fault::harmless("529 inside a 200, then whole", vec![overloaded(), whole()]),
        Fault::harmless(
            "an error after the opening, then whole",
            vec![begun(), whole()],
        ),
        Fault::fatal(
            "529 inside a 200, always",
            vec![overloaded(), begun(), overloaded()],
            "Overloaded just now.",
        ),
        Fault::midway("garbage", wire.half_then(garbage), cut),
        Fault::midway("half a character", wire.half_then(half_character), cut),
        Fault::midway(
            "half a frame",
            wire.half_then(&second[..second.len() / 2]),
            cut,
        ),
        Fault::midway(
            "a frame too large",
            wire.half_then(wire.frame(&huge)),
            "16 MiB",
        ),
        Fault::harmless(
            "garbage between the words",
            vec![
                wire.says(
                    [
                        pieces.half().as_bytes(),
                        b"\xff\xfe\x00\x80\n\n",
                        second,
                        pieces.ending.as_bytes(),
                    ]
                    .concat(),
                ),
            ],
        ),
        Fault::harmless(
            "unknown things between the words",
            vec![
                wire.says(
                    [
                        &*pieces.half(),
                        &wire.frame(r#"{"type": "news", "from": {"the": ["future"]}}"#),
                        &pieces.second,
                        &pieces.ending,
                    ]
                    .concat(),
                ),
            ],
        ),
        Fault::harmless(
            "the end twice",
            vec![wire.says([&*pieces.whole(), &pieces.ending].concat())],
        ),
        Fault::harmless(
            "the opening twice",
            vec![wire.says([&*pieces.opening, &pieces.whole()].concat())],
        ),
        Fault {
            calls: 1,
            ..Fault::fatal(
                "cut after a call",
                vec![
                    wire.says([&*pieces.opening, &pieces.call].concat()),
                    whole(),
                ],
                cut,
            )
        }
        .once(),
        Fault {
            calls: 1,
            ..Fault::fatal(
                "an error after a call",
                vec![
                    wire.says([&*pieces.opening, &pieces.call, &pieces.overloaded].concat()),
                    whole(),
                ],
                "Overloaded just now.",
            )
        }
        .once(),
    ]
}

impl Fault {
    /// Though there would be an answer to a second request.
    fn once(self) -> Self {
        Self { retries: 0, ..self }
    }
}
