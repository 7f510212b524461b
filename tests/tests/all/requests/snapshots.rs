//! Committed copies of what is asked, one file for each source and scenario, for people to read.
//!
//! Ids that differ from run to run have names here, the key is not shown, and what stood in the
//! request before is not repeated.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use uuid::Uuid;
use weir_tests::server::Request;

use super::conversation;
use super::conversation::Stage;

/// Every difference costs a reader time; those of all files together are cut here.
const LONGEST_REPORT: usize = 6_000;

pub(super) struct Snapshot {
    /// Below the folder of snapshots.
    path: PathBuf,
    content: Value,
}

impl Snapshot {
    pub(super) fn new(subject: &str, scenario: &str) -> Self {
        Self {
            path: Path::new(subject).join(format!("{scenario}.json")),
            content: json!({}),
        }
    }

    /// All requests of a scenario, whole.
    pub(super) fn whole(
        subject: &str,
        scenario: &str,
        requests: &[Request],
        stage: &Stage,
    ) -> Self {
        let mut snapshot = Self::new(subject, scenario);
        let mut names = Names::default();
        let mut before = None;
        let written = requests.iter().map(|request| {
            let body = names.named(&request.body, stage);
            let shown = beside(&body, before.as_ref());
            before = Some(body);
            json!({"to": to(request), "headers": headers(request, stage), "body": shown})
        });
        snapshot.content = written.collect();
        snapshot
    }

    /// What a body says beside the conversation.
    pub(super) fn add_settings(&mut self, model: &str, level: &str, body: &Value) {
        let (conversation, _) = super::conversation(body);
        let varies = [conversation, "prompt_cache_key", "model", "stream", "tools"];
        let mut settings: Map<String, Value> = object(body)
            .iter()
            .filter(|(field, _)| !varies.contains(&field.as_str()))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        // Bedrock's tools stand beside the choice, and are the same in every case.
        if let Some(Value::Object(config)) = settings.get_mut("toolConfig") {
            config.remove("tools");
        }
        self.content[model][level] = settings.into();
    }

    /// The conversation with nothing but its structure; cases with the same one stand together.
    pub(super) fn add_outline(&mut self, case: &str, body: &Value) {
        let (_, items) = super::conversation(body);
        let outline: Value = items.iter().map(|item| outline("", item)).collect();
        if !self.content.is_array() {
            self.content = json!([]);
        }
        let groups = self.content.as_array_mut().expect("an array");
        match groups.iter_mut().find(|group| group["sends"] == outline) {
            Some(group) => {
                let cases = group["from"].as_array_mut().expect("an array");
                cases.push(case.into());
            }
            None => groups.push(json!({"from": [case], "sends": outline})),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        write_json(&self.content, 0, &mut text);
        text + "\n"
    }
}

/// As long as a line may be before its value is spread over several.
const WIDEST: usize = 100;
/// What a reader looks for first.
const FIRST: [&str; 6] = ["to", "from", "role", "type", "id", "name"];

/// JSON for people: short values on one line, what names a thing before what it holds.
fn write_json(value: &Value, depth: usize, out: &mut String) {
    let one_line = one_line(value);
    if one_line.chars().count() + 2 * depth <= WIDEST {
        out.push_str(&one_line);
        return;
    }
    let mut write_all = |brackets: [&str; 2], items: Vec<(Option<&String>, &Value)>| {
        out.push_str(brackets[0]);
        for (index, (name, value)) in items.into_iter().enumerate() {
            out.push_str(if index == 0 { "\n" } else { ",\n" });
            out.push_str(&"  ".repeat(depth + 1));
            if let Some(name) = name {
                out.push_str(&format!("{}: ", json!(name)));
            }
            write_json(value, depth + 1, out);
        }
        out.push_str(&format!("\n{}{}", "  ".repeat(depth), brackets[1]));
    };
    match value {
        Value::Object(fields) => {
            let fields = in_order(fields).map(|(name, value)| (Some(name), value));
            write_all(["{", "}"], fields.collect());
        }
        Value::Array(items) => {
            write_all(["[", "]"], items.iter().map(|item| (None, item)).collect());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&one_line);
        }
    }
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = in_order(fields);
            let fields =
                fields.map(|(name, value)| format!("{}: {}", json!(name), one_line(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(one_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn in_order(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| {
        let first = FIRST.iter().position(|first| first == name);
        (first.unwrap_or(FIRST.len()), (*name).clone())
    });
    fields.into_iter()
}

/// Compares all of them with what is committed, or commits them.
pub(super) fn check(snapshots: &[Snapshot]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/requests");
    if std::env::var_os("WEIR_WRITE_SNAPSHOTS").is_some() {
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        for snapshot in snapshots {
            let path = folder.join(&snapshot.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, snapshot.text()).unwrap();
        }
        return;
    }
    let mut report = String::new();
    for snapshot in snapshots {
        let path = folder.join(&snapshot.path);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        if committed != snapshot.text() {
            let change = first_difference(&committed, &snapshot.text());
            report += &format!("{}: {change}\n", snapshot.path.display());
        }
    }
    let made: BTreeSet<PathBuf> = snapshots.iter().map(|one| one.path.clone()).collect();
    for path in weir_tests::files::below(&folder) {
        let name = path.strip_prefix(&folder).unwrap();
        if !made.contains(name) {
            report += &format!("{}: no scenario makes it any more\n", name.display());
        }
    }
    report.truncate(report.floor_char_boundary(LONGEST_REPORT));
    assert!(
        report.is_empty(),
        "requests changed; if they should, write their snapshots anew with WEIR_WRITE_SNAPSHOTS=1\n{report}"
    );
    println!("{} snapshots are as committed", snapshots.len());
}

fn first_difference(committed: &str, made: &str) -> String {
    let (old, new) = (committed.lines(), made.lines());
    let pairs = old.chain([""]).zip(new.chain([""])).zip(1..);
    let different = pairs
        .filter(|((old, new), _)| old != new)
        .map(|((old, new), number)| {
            format!("line {number}\n  committed: {old}\n  made now:  {new}")
        });
    different
        .into_iter()
        .next()
        .unwrap_or_else(|| "its length".to_owned())
}

fn to(request: &Request) -> String {
    let query = match request.query.as_str() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    format!("{} {}{query}", request.method, request.path)
}

fn headers(request: &Request, stage: &Stage) -> Value {
    // What every HTTP client sends, and what differs from machine to machine.
    const PLAIN: [&str; 5] = [
        "host",
        "content-length",
        "user-agent",
        "accept",
        "accept-encoding",
    ];
    let told = request.headers.iter();
    let told = told.filter(|(name, _)| !PLAIN.contains(&name.as_str()));
    let told = told.map(|(name, value)| {
        let value = value.to_str().unwrap_or("(no text)");
        let value = value.replace(stage.key.key(), "<key>");
        (name.as_str().to_owned(), Value::from(value))
    });
    let sorted: std::collections::BTreeMap<String, Value> = told.collect();
    json!(sorted)
}

/// A body, with what equals the request before it left out.
fn beside(body: &Value, before: Option<&Value>) -> Value {
    let Some(before) = before else {
        return body.clone();
    };
    let (conversation, items) = super::conversation(body);
    let (_, items_before) = super::conversation(before);
    let mut shown = Map::new();
    for (field, value) in object(body) {
        if field != conversation && before.get(field) == Some(value) {
            continue;
        }
        shown.insert(field.clone(), value.clone());
    }
    for (field, _) in object(before) {
        if body.get(field).is_none() {
            shown.insert(field.clone(), "(no longer)".into());
        }
    }
    let mut new: Vec<Value> = Vec::new();
    let mut same = 0;
    for (index, item) in items.iter().enumerate() {
        if items_before.get(index) == Some(item) {
            same += 1;
            if items_before.get(index + 1) != items.get(index + 1) || index + 1 == items.len() {
                new.push(format!("({same} as before)").into());
                same = 0;
            }
        } else {
            new.push(item.clone());
        }
    }
    shown.insert(conversation.to_owned(), new.into());
    shown.into()
}

/// Stable names for what differs from run to run.
#[derive(Default)]
struct Names {
    ids: Vec<String>,
}

impl Names {
    fn named(&mut self, value: &Value, stage: &conversation::Stage) -> Value {
        match value {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), self.named(value, stage)))
                .collect::<Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(|item| self.named(item, stage)).collect(),
            Value::String(text) => {
                let folder = stage.project.to_string_lossy();
                self.without_ids(&text.replace(&*folder, "<project>"))
                    .into()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn without_ids(&mut self, text: &str) -> String {
        const LENGTH: usize = uuid::fmt::Hyphenated::LENGTH;
        let mut named = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let id = rest.get(..LENGTH).filter(|id| Uuid::try_parse(id).is_ok());
            if let Some(id) = id {
                let known = self.ids.iter().position(|known| known == id);
                let number = known.unwrap_or_else(|| {
                    self.ids.push(id.to_owned());
                    self.ids.len() - 1
                });
                named += &format!("<id {}>", number + 1);
                rest = &rest[LENGTH..];
            } else {
                let next = rest.chars().next().map_or(1, char::len_utf8);
                named += &rest[..next];
                rest = &rest[next..];
            }
        }
        named
    }
}

/// Structure without content: words that the API gives meaning to stay.
fn outline(field: &str, value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), outline(name, value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(|item| outline(field, item)).collect(),
        Value::String(_) if ["type", "role", "name", "detail", "status"].contains(&field) => {
            value.clone()
        }
        Value::String(text) if text.is_empty() => value.clone(),
        Value::String(_) => "…".into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("a body is an object")
}
