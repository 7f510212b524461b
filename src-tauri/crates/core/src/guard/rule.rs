//! What a rule is, and the list of all families.

use std::ops::{Range, RangeInclusive};

use weir_protocol::{GuardCategory, GuardRule, OutputAction, RuleAction};

use super::personal::{Code, Number};
use super::stretch::Stretch;

/// The families. Whoever adds one adds a line; whoever adds a rule adds a row to its family.
const FAMILIES: &[&[&[Rule]]] = &[
    super::secrets::RULES,
    super::personal::RULES,
    super::injection::RULES,
    super::custom::RULES,
];

pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) category: GuardCategory,
    pub(super) label: &'static str,
    /// One sentence that says what it looks for.
    pub(super) about: &'static str,
    pub(super) input: RuleAction,
    pub(super) output: OutputAction,
    pub(super) finder: Finder,
    /// Words after which that many more words are looked at together with them.
    pub(super) leads: &'static [(&'static str, u8)],
}

/// How a rule looks. Each way is bounded by the length of the stretch.
pub(super) enum Finder {
    /// A value that tells by its own looks; each shape begins with the letters it is known by.
    Shapes(&'static [&'static str]),
    /// A value of this shape that is given to a name: `MISTRAL_API_KEY=…`.
    Named {
        names: &'static [&'static str],
        shapes: &'static [&'static str],
    },
    /// Code of its own, asked wherever one of the anchors stands. Anchors are small letters and
    /// stand for letters of either case.
    Anchored {
        anchors: &'static [&'static str],
        find: fn(&Stretch, Range<usize>) -> Option<Range<usize>>,
    },
    /// Code of its own, asked once for a stretch with one of these traits.
    Whole {
        traits: u8,
        find: fn(&Stretch, &mut dyn FnMut(Range<usize>)),
    },
    /// A number of so many digits that passes its check.
    Number {
        digits: RangeInclusive<usize>,
        check: fn(&Number) -> bool,
    },
    /// A word of letters and digits of this length that passes its check.
    Code {
        length: RangeInclusive<usize>,
        check: fn(&Code) -> bool,
    },
    /// The user's own words, patterns and limits: they come from the configuration.
    Own,
}

impl Rule {
    /// A secret: taken out both ways.
    pub(super) const fn secret(
        name: &'static str,
        label: &'static str,
        about: &'static str,
        finder: Finder,
    ) -> Self {
        Self {
            name,
            category: GuardCategory::Secret,
            label,
            about,
            input: RuleAction::Redact,
            output: OutputAction::Redact,
            finder,
            leads: &[],
        }
    }

    /// Personal data: taken out on the way to a source, told on the way back.
    pub(super) const fn personal(
        name: &'static str,
        label: &'static str,
        about: &'static str,
        finder: Finder,
    ) -> Self {
        Self {
            name,
            category: GuardCategory::Personal,
            label,
            about,
            input: RuleAction::Redact,
            output: OutputAction::Allow,
            finder,
            leads: &[],
        }
    }

    /// A hint that the text speaks to the model: told on the way in, where others wrote it.
    pub(super) const fn injection(name: &'static str, about: &'static str, finder: Finder) -> Self {
        Self {
            name,
            category: GuardCategory::Injection,
            label: "INJECTION",
            about,
            input: RuleAction::Warn,
            output: OutputAction::Allow,
            finder,
            leads: &[],
        }
    }

    pub(super) const fn input(mut self, action: RuleAction) -> Self {
        self.input = action;
        self
    }

    pub(super) const fn leads(mut self, leads: &'static [(&'static str, u8)]) -> Self {
        self.leads = leads;
        self
    }
}

pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    let tables = FAMILIES.iter().flat_map(|family| family.iter());
    tables.flat_map(|table| table.iter())
}

/// Every rule, as the settings list them.
pub fn rules() -> Vec<GuardRule> {
    let listed = |rule: &Rule| GuardRule {
        name: rule.name.to_owned(),
        category: rule.category,
        label: rule.label.to_owned(),
        about: rule.about.to_owned(),
        input: rule.input,
        output: rule.output,
    };
    all().map(listed).collect()
}
