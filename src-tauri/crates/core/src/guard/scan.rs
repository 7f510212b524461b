//! Looks at one stretch with every rule that has something to look at.
//!
//! One automaton finds the anchors of all rules in one pass; a rule is asked only where its
//! anchor stands. What overlaps is settled here: the stricter, then the more telling rule wins.
//!
//! Invariant: a rule that redacts, asks or blocks takes nothing from another. Every byte that one
//! of them found is covered, by the strictest action that was found over it, so no rule that is
//! switched on and no word that is added lets something pass that was held back without it.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use weir_protocol::{GuardCategory, GuardVerdict};

use super::config::GuardPolicy;
use super::custom::OwnRules;
use super::personal::{Code, MOST_DIGITS, Number};
use super::rule::{self, Finder, Rule};
use super::shape::{self, Shape};
use super::stream::Scanners;
use super::stretch::{self, Reach, Stretch, traits};
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

impl How {
    /// Where a long key begins that fits its shape to the end of the text.
    fn begins(&self, stretch: &Stretch, anchor: Range<usize>) -> Option<usize> {
        let is_long = |shape: &Shape| shape.is_longer_than(stretch::AHEAD);
        match self {
            Self::Shape(shape) => {
                let start = anchor.start;
                let goes_on = is_long(shape) && secrets::may_go_on(stretch, shape, start);
                goes_on.then_some(start)
            }
            Self::Named(shapes) => {
                let start = secrets::named_value(stretch, anchor)?;
                let goes_on =
                    |shape: &Shape| is_long(shape) && secrets::may_go_on(stretch, shape, start);
                shapes.iter().any(goes_on).then_some(start)
            }
            Self::Code(_) => None,
        }
    }
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
    /// By the number of the rule; nothing where it is off. Empty in the scanner of the user's own.
    actions: Vec<Option<Action>>,
    own: OwnRules,
    limit: Option<u64>,
    too_long: GuardVerdict,
    reach: Reach,
}

/// What a rule does with what it finds.
#[derive(Clone, Copy)]
struct Action {
    verdict: GuardVerdict,
    /// It redacts, and a prompt asks before it is sent as well.
    also_asks: bool,
}

/// Something found in a stretch, before overlaps are settled.
struct Hit {
    span: Range<usize>,
    action: GuardVerdict,
    /// Another rule over the same text asks before a prompt is sent.
    also_asks: bool,
    has_secret: bool,
    category: GuardCategory,
    who: Who,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Own(usize),
    /// In the order of the tables: what stands first tells more.
    Rule(usize),
    /// A number that is a part of one, or overlaps one, that another rule has found already.
    Within(usize),
}

impl Hit {
    fn new(span: Range<usize>, action: Action, category: GuardCategory, who: Who) -> Self {
        Self {
            span,
            action: action.verdict,
            also_asks: action.also_asks,
            has_secret: category == GuardCategory::Secret,
            category,
            who,
        }
    }

    fn takes_out(&self) -> bool {
        super::takes_out(self.action)
    }

    /// What is only reported passes; of that, what tries to instruct the model has consequences.
    fn is_instruction(&self) -> bool {
        self.category == GuardCategory::Injection && !self.takes_out()
    }
}

/// Without overlaps: the stricter, then the more telling one stays, and covers what the others
/// found.
fn settled(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|one, other| {
        let strictness = super::strength(other.action).cmp(&super::strength(one.action));
        let instructs = || other.is_instruction().cmp(&one.is_instruction());
        let telling = || one.who.cmp(&other.who);
        let longer = || other.span.len().cmp(&one.span.len());
        let earlier = || one.span.start.cmp(&other.span.start);
        strictness
            .then_with(instructs)
            .then_with(telling)
            .then_with(longer)
            .then_with(earlier)
    });
    // In the order of the text and without overlaps, so neighbours are found by a binary search:
    // a pattern that matches every character has thousands of hits in one stretch.
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let first = kept.partition_point(|other| other.span.end <= hit.span.start);
        let count = kept[first..].partition_point(|other| other.span.start < hit.span.end);
        if count == 0 {
            kept.insert(first, hit);
        } else if hit.takes_out() {
            cover(&hit, &mut kept[first..first + count]);
        }
    }
    kept
}

/// Widens those that stay, in the order of the text, until nothing of `hit` lies between them.
fn cover(hit: &Hit, kept: &mut [Hit]) {
    let mut next = hit.span.end;
    for other in kept.iter_mut().rev() {
        other.span.end = other.span.end.max(next);
        other.has_secret |= hit.has_secret;
        other.also_asks |= hit.also_asks || hit.action == GuardVerdict::Ask;
        next = other.span.start;
    }
    if let Some(first) = kept.first_mut() {
        first.span.start = first.span.start.min(hit.span.start);
    }
}

impl Scanner {
    /// The rules' scanner at a stage, and the one of the user's own words and patterns.
    pub(super) fn of(policy: &GuardPolicy, stage: Stage) -> Result<Scanners, GuardError> {
        let rules = Arc::new(Self::of_rules(policy, stage)?);
        let own = OwnRules::new(&policy.config, stage)?;
        if own.is_empty() {
            return Ok(Scanners { rules, own: None });
        }
        let mut reach = Reach::new(stage);
        own.reach(&mut reach);
        let own = Self {
            engine: rules.engine,
            actions: Vec::new(),
            own,
            limit: None,
            too_long: GuardVerdict::Allow,
            reach,
        };
        let own = Some(Arc::new(own));
        Ok(Scanners { rules, own })
    }

    fn of_rules(policy: &GuardPolicy, stage: Stage) -> Result<Self, GuardError> {
        let config = &policy.config;
        let engine = ENGINE
            .as_ref()
            .map_err(|reason| GuardError::Broken(reason.clone()))?;
        let actions = engine.rules.iter();
        let actions = actions
            .map(|rule| {
                let verdict = config::action(config, rule.name, stage).verdict()?;
                let also_asks = stage == Stage::Input && policy.also_asks(rule);
                Some(Action { verdict, also_asks })
            })
            .collect();
        let mut reach = Reach::new(stage);
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
        let too_long = match config::action(config, super::custom::SIZE, stage).verdict() {
            // There is nothing in a text to redact that would make it shorter.
            Some(GuardVerdict::Redact) => Some(GuardVerdict::Block),
            other => other,
        };
        Ok(Self {
            engine,
            actions,
            own: OwnRules::default(),
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
            also_asks: false,
            has_secret: false,
            label: "SIZE".into(),
            span: at..at,
        }
    }

    /// What stands in a stretch that begins at `behind`; `beneath` says how it came, where
    /// letters that nobody sees were left out of it. Returns where a key begins that the text may
    /// end inside of, in bytes of the stretch.
    pub(super) fn scan(
        &self,
        stretch: &Stretch,
        beneath: Option<&Beneath>,
        behind: usize,
        found: &mut Vec<Found>,
    ) -> Option<usize> {
        let beneath = beneath.filter(|it| it.has_left_out());
        let is_plain = stretch.traits == 0 && beneath.is_none();
        if is_plain && self.own.is_empty() && !stretch.in_key {
            return None;
        }
        let mut hits: Vec<Hit> = Vec::new();
        let mut open = None;
        if !self.actions.is_empty() {
            open = self.find_by_rules(stretch, beneath, &mut hits);
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
        open.into_iter().chain(self.own.open(stretch.text)).min()
    }

    fn find_by_rules(
        &self,
        stretch: &Stretch,
        beneath: Option<&Beneath>,
        hits: &mut Vec<Hit>,
    ) -> Option<usize> {
        let mut open = secrets::growing(stretch);
        let mut opens = |at: usize| open = Some(open.map_or(at, |open: usize| open.min(at)));
        let mut hit = |who: Who, rule: usize, span: Range<usize>| {
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
                if category == GuardCategory::Secret && end == stretch.text.len() {
                    opens(span.start);
                }
                hits.push(Hit::new(span.start..end, action, category, who));
            }
        };
        if stretch.in_key {
            let rule = self.engine.private_key;
            if let (Some(rule), Some(span)) = (rule, secrets::rest_of_key(stretch)) {
                hit(Who::Rule(rule), rule, span);
            }
        }
        let mut begins: Option<usize> = None;
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
                    hit(Who::Rule(asked.rule), asked.rule, span);
                } else if let Some(at) = asked.how.begins(stretch, anchor.range()) {
                    begins = Some(begins.map_or(at, |begins: usize| begins.min(at)));
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
                find(stretch, &mut |span| hit(Who::Rule(*rule), *rule, span));
            }
        }
        if stretch.traits & traits::DIGIT != 0 {
            // Where the numbers are that were found. One that overlaps them is still looked at:
            // what it covers beyond them, and a stricter action, count.
            let mut found = 0;
            personal::each_number(stretch.text, |number| {
                let wanted = self.engine.numbers.get(number.digits().len());
                let is_within = number.span.start < found;
                for (rule, check) in wanted.into_iter().flatten() {
                    if self.actions[*rule].is_some() && check(number) {
                        let who = if is_within { Who::Within } else { Who::Rule };
                        hit(who(*rule), *rule, number.span.clone());
                        found = found.max(number.span.end);
                    }
                }
            });
            personal::each_code(stretch.text, |code| {
                let wanted = self.engine.codes.get(code.span.len());
                for (rule, check) in wanted.into_iter().flatten() {
                    if self.actions[*rule].is_some() && check(code) {
                        hit(Who::Rule(*rule), *rule, code.span.clone());
                    }
                }
            });
        }
        begins.into_iter().chain(open).min()
    }

    fn find_own(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.own.is_empty() {
            return;
        }
        self.own.find(text, &mut |number, span, verdict| {
            let action = Action {
                verdict,
                also_asks: false,
            };
            let who = Who::Own(number);
            hits.push(Hit::new(span, action, GuardCategory::Custom, who));
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
                && let Some(Some(action)) = self.actions.get(*rule).copied()
                && let Finder::Whole { find, .. } = &self.engine.rules[*rule].finder
            {
                let category = self.engine.rules[*rule].category;
                find(&came, &mut |span| {
                    hits.push(Hit::new(span, action, category, Who::Rule(*rule)));
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
            let parts = super::outside(&hit.span, &taken);
            kept.extend(parts.map(|span| Hit { span, ..hit }));
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
                Who::Rule(rule) | Who::Within(rule) => self.engine.names[rule].clone(),
                Who::Own(number) => self.own.name(number),
            };
            found.push(Found {
                rule,
                category: hit.category,
                action: hit.action,
                also_asks: hit.also_asks,
                has_secret: hit.has_secret,
                label,
                span: behind + span.start..behind + span.end,
            });
        }
    }
}
