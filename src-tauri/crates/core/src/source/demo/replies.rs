//! The words of the demo.
//!
//! Owns every sentence it says. All of it is true except what says that it is made up.

use std::fmt::Write as _;

use super::stream::Page;

/// Base64 of `weir-demo`: nobody takes it for a real one.
pub(super) const SIGNATURE: &str = "d2Vpci1kZW1v";

/// Base64 of `weir-demo sealed`.
pub(super) const SEALED: &str = "d2Vpci1kZW1vIHNlYWxlZA==";

pub(super) const THINKING: &str = "This is the demo, so there is nobody here to think. A real \
model would use this space to work things out before it answers, and you could fold it away. \
I will look for the few words that I know, say what I am, and show a search.";

pub(super) const LONG_THINKING: &str = "This is the demo, so there is nobody here to think. \
These words stand where a real model would work things out before it answers.

What would it do with a question? First it would read it twice, because the second reading \
finds what the first one assumed. Is a fact wanted, or an opinion, or a piece of work? Is \
something missing without which any answer is a guess?

Then it would try a way. Take a number that ought to come out: the flow over a weir. If the \
water stands twice as high above the crest, the flow should more than double, because the \
water is both deeper and faster. Two to the power of one and a half is about 2.83. So the \
flow almost triples. That fits.

Then it would doubt. Does this hold for every weir? No: a notch in the shape of a V grows \
with the power of two and a half, since a higher stream is also a wider one there. Two to \
that power is about 5.66. So the answer depends on the shape, and the shape has to be named.

Last, it would decide what to say and what to leave out, and in which order. All this can be \
long. You can fold it away while it still grows, and it is saved like everything else.";

pub(super) const HELLO: &str = "Hello. This is Weir's **demo**: a script inside the program, \
not a model. It needs no key and no network. Nothing you typed has left this machine, nothing \
was paid for, and the token counts and search results are made up.

The rest is real. The reply arrives as bytes, the way a provider sends them; it is read, \
checked and saved, and only then shown. Close the window in the middle of a sentence: what \
you had seen will be there when you come back.

Here is a search, to show how a tool and its sources look.\n\n";

pub(super) fn hello_again(turn: usize) -> String {
    format!(
        "This is still the **demo**, now in turn {turn} of this session. It is a script and \
does not know what you said before; a real source would get the whole session each time, \
which is why the made-up input count below has grown. Nothing has left this machine.

The session itself is real: it is on your disk and in the list of sessions. Stop a reply \
whenever you like; what has been shown stays.

Here is the made-up search again.\n\n"
    )
}

pub(super) const SHORT_HELLO: &str = "This is the **demo**, a script and not a model. Nothing \
left this machine; numbers and search results are made up. You asked for this:\n\n";

pub(super) const PAGES: [Page; 2] = [
    Page {
        url: "https://example.com/weirs",
        title: "What a weir is (made up for the demo)",
        cited: "A weir is a low wall across a stream.",
    },
    Page {
        url: "https://example.org/measuring-water",
        title: "Measuring water (made up for the demo)",
        cited: "The height of the water above the crest gives the flow.",
    },
];

pub(super) const BEFORE_CITED: &str = "In short: ";

/// One sentence for each page, and what follows it.
pub(super) const CITED: [(&str, &str); 2] = [
    (
        "a weir is a low wall across a stream that holds back a part of the water",
        ", and ",
    ),
    (
        "the height of the water above its edge tells how much flows over it",
        ". The pages do not exist; the links only show where sources go.\n\n",
    ),
];

pub(super) const AFTER_TOOLS: &str = "Three tools were called: a search, a command, and a page \
that could not be fetched. None of them ran; the last one failed on purpose, to show how a \
failure looks.\n\n";

pub(super) const WORDS: &str = "### Words that steer the demo

- `code`, `table`, `list`, `math`: one of each
- `tool`: tools that the source runs itself
- `cite`: sentences with sources
- `think`: longer thinking
- `long`: a few thousand words, to try stopping and scrolling
- `error`: the source fails in the middle
- `cut`: the stream breaks off
- `fast`: no pauses
- `everything`: one of each kind, within a minute

They can be combined: `fast long`.

";

pub(super) const REAL_SOURCE: &str = "### A real source

Open **Settings → Anthropic** and paste a key. It is kept in this system's keychain, and from \
then on what you send goes to Anthropic, under your account.";

pub(super) const GOODBYE: &str = "That was it. Write `hello` for the list of words, or open \
**Settings → Anthropic** to add a real source.";

pub(super) const BEFORE_ERROR: &str = "This is the **demo**. You wrote `error`, so the source \
will now fail in the middle of this sentence, and what has arrived until";

pub(super) const ERROR: &str =
    "The demo failed because the prompt had the word error in it. Nothing is wrong.";

pub(super) const BEFORE_CUT: &str = "This is the **demo**. You wrote `cut`, so the stream will \
now break off without a word that it is over, and what has arr";

pub(super) const CODE: &str = r#"### Code

The flow over a rectangular weir, in Rust:

```rust
/// Cubic metres a second over a weir `width` metres wide, with the water
/// standing `head` metres above its crest.
fn flow(width: f64, head: f64) -> f64 {
    const COEFFICIENT: f64 = 0.62;
    const GRAVITY: f64 = 9.81;
    2.0 / 3.0 * COEFFICIENT * width * (2.0 * GRAVITY).sqrt() * head.powf(1.5)
}

fn main() {
    println!("{:.3} m³/s", flow(2.0, 0.3)); // 0.602 m³/s
}
```

And a line for the shell: `printf '%s\n' "$HOME"`.

"#;

pub(super) const TABLE: &str = "### Table

| Weir | Opening | Flow grows with the head to the power of |
|:--|:--|--:|
| rectangular | straight edge | 3/2 |
| Cipolletti | trapezoid, sides 1 in 4 | 3/2 |
| V-notch | triangle | 5/2 |

";

pub(super) const LIST: &str = "### List

1. Choose a straight stretch of the stream.
2. Build the wall:
   - level at the top,
   - sharp at the edge,
   - tight at the sides.
3. Measure the head:
   - [x] upstream, where the surface is still flat
   - [ ] again after rain

> A weir that leaks measures nothing.

";

pub(super) const MATH: &str = r"### Math

For a width $b$ and a head $h$, the flow over a rectangular weir is

$$Q = \frac{2}{3}\, C_d\, b\, \sqrt{2g}\; h^{3/2}$$

where $C_d \approx 0.62$ and $g$ is the pull of gravity.

";

const LONG_PARAGRAPHS: usize = 45;
const SENTENCES_PER_PARAGRAPH: usize = 5;

/// What the long reply is made of. Their number shares no factor with the steps below, so
/// that paragraphs begin with each of them in turn.
const SENTENCES: [&str; 13] = [
    "A stream is never the same twice, but over a week its level draws a calm line.",
    "After rain the water comes brown and fast, and the line on the gauge climbs within an hour.",
    "In a dry summer the crest stands bare for days, and only the seepage at the foot is left.",
    "Whoever reads the gauge writes down the hour as well, because a level without a time says little.",
    "The wall does not stop the water; it only asks all of it to pass at one place.",
    "Leaves gather at the edge in autumn, and a gauge that is not cleaned then shows too much.",
    "Fish need a way around, so a part of the flow is led past the wall in small steps.",
    "Ice is the worst season for measuring, since it lifts the surface without any more water.",
    "An old mill often has such a wall, and behind it a pond that has long filled with silt.",
    "The pool behind the crest should be deep and quiet, so that the water arrives almost at rest.",
    "Two gauges are better than one, for when they differ you know that something is wrong.",
    "Small streams are measured in litres a second, and rivers in cubic metres.",
    "Over the years the numbers become a record, and the record is worth more than the wall.",
];

/// A few thousand words that repeat themselves, in an order that does not.
pub(super) fn long() -> String {
    let mut text = String::from("### A long reply\n\nStop it whenever you like.\n\n");
    for paragraph in 0..LONG_PARAGRAPHS {
        // Writing to a string cannot fail.
        let _ = write!(text, "**{}.**", paragraph + 1);
        for sentence in 0..SENTENCES_PER_PARAGRAPH {
            let at = (paragraph * 7 + sentence * 3) % SENTENCES.len();
            text.push(' ');
            text.push_str(SENTENCES[at]);
        }
        text.push_str("\n\n");
    }
    text
}
