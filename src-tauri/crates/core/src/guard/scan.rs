//! Looks at one stretch with every rule that has something to look at.
//!
//! One automaton finds the anchors of all rules in one pass; a rule is asked only where its
//! anchor stands. What overlaps is settled here: the stricter, then the more telling rule wins,
//! and what it does not cover of a secret goes with it.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use weir_protocol::{GuardCategory, GuardConfig, GuardVerdict};

use super::custom::OwnRules;
use super::personal::{Code, MOST_DIGITS, Number};
use super::rule::{self, Finder, Rule};
use super::shape::{self, Shape};
use super::stretch::{Reach, Stretch, traits};
use super::unseen::Beneath;
use super::{Found, GuardError, Stage, config, personal, secrets};

/// By a length: the rules that want to see what is so long, and how they check it.
type Wanted<Check> = Vec<Vec<(usize, Check)>>;

/// What all guards share: the rules, ready to be used.
struct Engine {
    anchors: AhoCorasick,
    /// By the number of the anchor: who asked for it.
    asked: Vec<Vec<Asked>>,
    whole: Vec<(usize, u8)>,
    /// By how many digits a number has: who wants to see it.
    numbers: Wanted<fn(&Number) -> bool>,
    /// By how long a word is.
    codes: Wanted<fn(&Code) -> bool>,
    private_key: Option<usize>,
    rules: Vec<&'static Rule>,
    names: Vec<(Arc<str>, Arc<str>)>,
}

/// The rule whose anchor it is, and with what it looks there.
struct Asked {
    rule: usize,
    how: How,
}

enum How {
    Shape(Shape),
    Named(Arc<[Shape]>),
    Code(fn(&Stretch, Range<usize>) -> Option<Range<usize>>),
}

static ENGINE: LazyLock<Result<Engine, String>> =
    LazyLock::new(|| Engine::new().map_err(|error| error.to_string()));

impl Engine {
    fn new() -> Result<Self, GuardError> {
        let rules: Vec<&'static Rule> = rule::all().collect();
        let mut anchors: Vec<String> = Vec::new();
        let mut asked: Vec<Vec<Asked>> = Vec::new();
        let mut whole = Vec::new();
        let mut numbers: Vec<Vec<_>> = (0..=MOST_DIGITS).map(|_| Vec::new()).collect();
        let mut codes: Vec<Vec<_>> = (0..=MOST_DIGITS).map(|_| Vec::new()).collect();
        let mut ask = |anchor: &str, one: Asked| {
            let anchor = anchor.to_ascii_lowercase();
            match anchors.iter().position(|known| *known == anchor) {
                Some(known) => asked[known].push(one),
                None => {
                    anchors.push(anchor);
                    asked.push(vec![one]);
                }
            }
        };
        for (number, rule) in rules.iter().enumerate() {
            match &rule.finder {
                Finder::Shapes(shapes) => {
                    for text in *shapes {
                        let shape = Shape::parse(text)?;
                        let Some(anchor) = shape.anchor() else {
                            return Err(GuardError::Broken(format!("the shape {text:?}")));
                        };
                        let how = How::Shape(shape);
                        ask(anchor, Asked { rule: number, how });
                    }
                }
                Finder::Named { names, shapes } => {
                    let shapes = shapes.iter().map(|text| Shape::parse(text));
                    let shapes: Arc<[Shape]> = shapes.collect::<Result<Vec<_>, _>>()?.into();
                    for name in *names {
                        let how = How::Named(Arc::clone(&shapes));
                        ask(name, Asked { rule: number, how });
                    }
                }
                Finder::Anchored { anchors, find } => {
                    for anchor in *anchors {
                        let how = How::Code(*find);
                        ask(anchor, Asked { rule: number, how });
                    }
                }
                Finder::Whole { traits, .. } => whole.push((number, *traits)),
                Finder::Number { digits, check } => {
                    let wanted = digits.clone().filter(|digits| *digits <= MOST_DIGITS);
                    wanted.for_each(|digits| numbers[digits].push((number, *check)));
                }
                Finder::Code { length, check } => {
                    let wanted = length.clone().filter(|length| *length <= MOST_DIGITS);
                    wanted.for_each(|length| codes[length].push((number, *check)));
                }
                Finder::Own => {}
            }
        }
        let anchors = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&anchors)
            .map_err(|error| GuardError::Broken(error.to_string()))?;
        let names = rules
            .iter()
            .map(|rule| (rule.name.into(), rule.label.into()));
        Ok(Self {
            anchors,
            asked,
            whole,
            numbers,
            codes,
            private_key: rules
                .iter()
                .position(|rule| rule.name == secrets::PRIVATE_KEY),
            names: names.collect(),
            rules,
        })
    }
}

/// The rules of one stage, with what the user wants of each.
pub(super) struct Scanner {
    engine: &'static Engine,
    /// By the number of the rule; nothing where it is off.
    actions: Vec<Option<GuardVerdict>>,
    own: OwnRules,
    limit: Option<u64>,
    too_long: GuardVerdict,
    reach: Reach,
}

/// Something found in a stretch, before overlaps are settled.
struct Hit {
    span: Range<usize>,
    action: GuardVerdict,
    category: GuardCategory,
    who: Who,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Own(usize),
    /// In the order of the tables: what stands first tells more.
    Rule(usize),
}

impl Hit {
    fn takes_out(&self) -> bool {
        match self.action {
            GuardVerdict::Block | GuardVerdict::Redact => true,
            // In the middle of a turn, words that only instruct pass where it is asked.
            GuardVerdict::Ask => self.category != GuardCategory::Injection,
            GuardVerdict::Warn | GuardVerdict::Allow => false,
        }
    }
}

/// Without overlaps: the stricter, then the more telling one stays.
fn settled(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|one, other| {
        let strictness = other.action.cmp(&one.action);
        let telling = || one.who.cmp(&other.who);
        let longer = || other.span.len().cmp(&one.span.len());
        let earlier = || one.span.start.cmp(&other.span.start);
        strictness
            .then_with(telling)
            .then_with(longer)
            .then_with(earlier)
    });
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let overlaps =
            |other: &Hit| hit.span.start < other.span.end && other.span.start < hit.span.end;
        let over = || kept.iter().filter(|other| overlaps(other));
        let Some(first) = over().map(|other| other.span.start).min() else {
            kept.push(hit);
            continue;
        };
        // What a secret has beyond the winner is secret too; and a word of the user's inside of
        // an address does not let the rest of it pass.
        let is_own = over().any(|other| matches!(other.who, Who::Own(_)));
        if !hit.takes_out() || hit.category == GuardCategory::Personal && !is_own {
            continue;
        }
        let last = over().map(|other| other.span.end).max();
        for other in &mut kept {
            let (was, end) = (other.span.start, other.span.end);
            if was == first {
                other.span.start = was.min(hit.span.start);
            }
            if Some(end) == last {
                other.span.end = end.max(hit.span.end);
            }
        }
    }
    kept
}

impl Scanner {
    pub(super) fn new(config: &GuardConfig, stage: Stage) -> Result<Self, GuardError> {
        let engine = ENGINE
            .as_ref()
            .map_err(|reason| GuardError::Broken(reason.clone()))?;
        let actions = engine.rules.iter();
        let actions = actions
            .map(|rule| config::action(config, rule.name, stage).verdict())
            .collect();
        let own = OwnRules::new(config, stage)?;
        let mut reach = Reach::default();
        for (word, words) in engine.rules.iter().flat_map(|rule| rule.leads) {
            reach.lead(word, *words);
        }
        // A vendor's name leads as well: `my mistral key is …`.
        for rule in &engine.rules {
            if let Finder::Named { names, .. } = &rule.finder {
                let words = names
                    .iter()
                    .filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase()));
                words.for_each(|word| reach.lead(word, 4));
            }
        }
        own.reach(&mut reach);
        let too_long = config::action(config, super::custom::SIZE, stage).verdict();
        Ok(Self {
            engine,
            actions,
            own,
            limit: too_long.and(config::limit(&config.limits, stage)),
            too_long: too_long.unwrap_or(GuardVerdict::Allow),
            reach,
        })
    }

    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(super) fn is_too_long(&self, length: usize) -> bool {
        self.limit.is_some_and(|limit| length as u64 > limit)
    }

    pub(super) fn too_long(&self, at: usize) -> Found {
        Found {
            rule: super::custom::SIZE.into(),
            category: GuardCategory::Custom,
            action: self.too_long,
            label: "SIZE".into(),
            span: at..at,
        }
    }

    /// What stands in a stretch that begins at `behind`; `beneath` says how it came, where
    /// letters that nobody sees were left out of it.
    pub(super) fn scan(
        &self,
        stretch: &Stretch,
        beneath: Option<&Beneath>,
        behind: usize,
        found: &mut Vec<Found>,
    ) {
        let beneath = beneath.filter(|it| it.has_left_out());
        let is_plain = stretch.traits == 0 && beneath.is_none();
        if is_plain && self.own.is_empty() && !stretch.in_key {
            return;
        }
        let mut hits: Vec<Hit> = Vec::new();
        let mut hit = |rule: usize, span: Range<usize>| {
            if let Some(action) = self.actions[rule]
                && !span.is_empty()
            {
                let category = self.engine.rules[rule].category;
                let is_long = category == GuardCategory::Secret && span.len() >= shape::LONGEST;
                let end = if is_long {
                    secrets::end_of_long(stretch.text, span.end)
                } else {
                    span.end
                };
                hits.push(Hit {
                    span: span.start..end,
                    action,
                    category,
                    who: Who::Rule(rule),
                });
            }
        };
        if stretch.in_key {
            let rule = self.engine.private_key;
            if let (Some(rule), Some(span)) = (rule, secrets::rest_of_key(stretch)) {
                hit(rule, span);
            }
        }
        for anchor in self.engine.anchors.find_overlapping_iter(stretch.text) {
            for asked in &self.engine.asked[anchor.pattern().as_usize()] {
                if self.actions[asked.rule].is_none() {
                    continue;
                }
                let span = match &asked.how {
                    How::Shape(shape) => secrets::shaped(stretch, shape, anchor.start()),
                    How::Named(shapes) => secrets::named(stretch, shapes, anchor.range()),
                    How::Code(find) => find(stretch, anchor.range()),
                };
                if let Some(span) = span {
                    hit(asked.rule, span);
                }
            }
        }
        for (rule, needed) in &self.engine.whole {
            let is_beneath = beneath.is_some() && *needed == traits::UNSEEN;
            if stretch.traits & needed != 0
                && !is_beneath
                && self.actions[*rule].is_some()
                && let Finder::Whole { find, .. } = &self.engine.rules[*rule].finder
            {
                find(stretch, &mut |span| hit(*rule, span));
            }
        }
        if stretch.traits & traits::DIGIT != 0 {
            personal::each_number(stretch.text, |number| {
                let wanted = self.engine.numbers.get(number.digits().len());
                let mut taken = false;
                for (rule, check) in wanted.into_iter().flatten() {
                    if self.actions[*rule].is_some() && check(number) {
                        taken = true;
                        hit(*rule, number.span.clone());
                    }
                }
                taken
            });
            personal::each_code(stretch.text, |code| {
                let wanted = self.engine.codes.get(code.span.len());
                for (rule, check) in wanted.into_iter().flatten() {
                    if self.actions[*rule].is_some() && check(code) {
                        hit(*rule, code.span.clone());
                    }
                }
            });
        }
        self.find_own(stretch.text, &mut hits);
        if let Some(beneath) = beneath {
            for hit in &mut hits {
                hit.span = beneath.span(hit.span.clone());
            }
            self.look_beneath(stretch, beneath, &mut hits);
        }
        if !hits.is_empty() {
            self.settle(hits, behind, found);
        }
    }

    fn find_own(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.own.is_empty() {
            return;
        }
        self.own.find(text, &mut |number, span, action| {
            hits.push(Hit {
                span,
                action,
                category: GuardCategory::Custom,
                who: Who::Own(number),
            });
        });
    }

    /// The rules about letters that nobody sees, and the user's own, on a stretch as it came.
    fn look_beneath(&self, stretch: &Stretch, beneath: &Beneath, hits: &mut Vec<Hit>) {
        let came = Stretch {
            text: beneath.text,
            traits: stretch.traits | traits::UNSEEN,
            ..*stretch
        };
        for (rule, needed) in &self.engine.whole {
            if *needed == traits::UNSEEN
                && let Some(action) = self.actions[*rule]
                && let Finder::Whole { find, .. } = &self.engine.rules[*rule].finder
            {
                let category = self.engine.rules[*rule].category;
                find(&came, &mut |span| {
                    hits.push(Hit {
                        span,
                        action,
                        category,
                        who: Who::Rule(*rule),
                    });
                });
            }
        }
        self.find_own(came.text, hits);
    }

    /// What takes something out is settled first: what is only told of still leaves, so it never
    /// stands in the way of that. It is told of where nothing was taken out.
    fn settle(&self, hits: Vec<Hit>, behind: usize, found: &mut Vec<Found>) {
        let (takes, tells): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(Hit::takes_out);
        let mut kept = settled(takes);
        let mut taken: Vec<Range<usize>> = kept.iter().map(|hit| hit.span.clone()).collect();
        taken.sort_by_key(|span| span.start);
        for hit in settled(tells) {
            let mut from = hit.span.start;
            for span in taken.iter().chain([&(hit.span.end..hit.span.end)]) {
                let to = span.start.min(hit.span.end);
                if from < to {
                    let span = from..to;
                    kept.push(Hit { span, ..hit });
                }
                from = from.max(span.end);
            }
        }
        kept.sort_by_key(|hit| hit.span.start);
        let mut from = 0;
        for hit in kept {
            let span = hit.span.start.max(from)..hit.span.end;
            if span.is_empty() {
                continue;
            }
            from = span.end;
            let (rule, label) = match hit.who {
                Who::Rule(rule) => self.engine.names[rule].clone(),
                Who::Own(number) => self.own.name(number),
            };
            found.push(Found {
                rule,
                category: hit.category,
                action: hit.action,
                label,
                span: behind + span.start..behind + span.end,
            });
        }
    }
}
