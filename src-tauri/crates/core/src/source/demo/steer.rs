//! The words in a prompt that steer the demo.

/// What the reply shows, by the words that ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Code,
    Table,
    List,
    Math,
    Tool,
    Cite,
    Think,
    Long,
    Error,
    Cut,
    Fast,
    Everything,
}

pub(super) const WORDS: &[(&str, Word)] = &[
    ("code", Word::Code),
    ("table", Word::Table),
    ("list", Word::List),
    ("math", Word::Math),
    ("tool", Word::Tool),
    ("cite", Word::Cite),
    ("think", Word::Think),
    ("long", Word::Long),
    ("error", Word::Error),
    ("cut", Word::Cut),
    ("fast", Word::Fast),
    ("everything", Word::Everything),
];

/// The steering words of one prompt, whole words in any case and order.
#[derive(Clone, Debug)]
pub(super) struct Steer {
    asked: Vec<Word>,
}

impl Steer {
    pub(super) fn read(prompt: &str) -> Self {
        let asked = prompt
            .split(|letter: char| !letter.is_alphanumeric())
            .filter_map(|spoken| {
                let mut words = WORDS.iter();
                words.find(|(word, _)| word.eq_ignore_ascii_case(spoken))
            })
            .map(|(_, word)| *word)
            .collect();
        Self { asked }
    }

    pub(super) fn asks(&self, word: Word) -> bool {
        self.asked.contains(&word)
    }

    /// Whether the reply shows this: asked for by name, or with everything else.
    pub(super) fn shows(&self, word: Word) -> bool {
        self.asks(word) || self.asks(Word::Everything)
    }

    /// Whether any word asks for something to be shown, and not only for how.
    pub(super) fn names_content(&self) -> bool {
        let content = |word: &Word| match word {
            Word::Code
            | Word::Table
            | Word::List
            | Word::Math
            | Word::Tool
            | Word::Cite
            | Word::Think
            | Word::Long
            | Word::Everything => true,
            Word::Error | Word::Cut | Word::Fast => false,
        };
        self.asked.iter().any(content)
    }
}
