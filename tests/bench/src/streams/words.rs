//! What the reply says: words, code, other alphabets, and calls of tools.

use super::{Call, Reply, Spelling};

const WORDS: [&str; 64] = [
    " the",
    " stream",
    " is",
    " read",
    " in",
    " pieces",
    ",",
    " and",
    " each",
    " piece",
    " is",
    " shown",
    " once",
    " it",
    " is",
    " saved",
    ".",
    "\n\n",
    " A",
    " weir",
    " measures",
    " what",
    " flows",
    " over",
    " it",
    ":",
    " nothing",
    " more",
    ",",
    " nothing",
    " less",
    ".",
    " größer",
    " naïve",
    " façade",
    " 東京",
    "の",
    "川",
    " вода",
    " Ωmega",
    " 🦀",
    " 👩‍🔬",
    " — ",
    "\n- ",
    "`let",
    " x",
    " =",
    " \"",
    "quoted",
    "\"",
    ";`",
    "\n```rust\n",
    "fn",
    " main",
    "() {",
    "\n    ",
    "println!(\"{x}\")",
    ";\n",
    "}\n```\n",
    " C:\\temp",
    "\t",
    " 3.14",
    "</b>",
    " end",
];

const TOOLS: [&str; 4] = ["read_file", "search_text", "edit_file", "run_command"];

/// Of ten deltas, three think, six speak and one is a piece of a call.
pub(super) fn reply(deltas: usize) -> Reply {
    let mut dice = Dice(0x5eed);
    let thinking = pieces(deltas * 3 / 10, &mut dice);
    let text = pieces(deltas * 6 / 10, &mut dice);
    let calls = (0..(deltas / 400).max(1))
        .map(|number| call(number, &mut dice))
        .collect();
    Reply {
        thinking,
        text,
        calls,
    }
}

pub(super) fn text(deltas: usize, spelling: Spelling) -> Reply {
    let end = match spelling {
        Spelling::AsTheyAre => "",
        Spelling::WithEscapes => "\n",
    };
    Reply {
        thinking: Vec::new(),
        text: (0..deltas)
            .map(|number| format!(" word{number}{end}"))
            .collect(),
        calls: Vec::new(),
    }
}

fn pieces(count: usize, dice: &mut Dice) -> Vec<String> {
    let word = |dice: &mut Dice| WORDS[dice.below(WORDS.len())];
    (0..count)
        .map(|_| match dice.below(4) {
            0 => [word(dice), word(dice)].concat(),
            _ => word(dice).to_owned(),
        })
        .collect()
}

/// About forty pieces of a dozen letters, cut without regard to what they say.
fn call(number: usize, dice: &mut Dice) -> Call {
    let content = pieces(70, dice).concat();
    let input = serde_json::json!({
        "path": format!("src/part_{number}/größe.rs"),
        "line": number * 7,
        "exact": true,
        "content": content,
    });
    let letters: Vec<char> = input.to_string().chars().collect();
    Call {
        id: format!("call_{number:04}_weir"),
        name: TOOLS[number % TOOLS.len()],
        pieces: letters.chunks(12).map(String::from_iter).collect(),
    }
}

/// A small generator, so that every run has the same bytes.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}
