//! Where the file tools are given originals in the place of placeholders.
//!
//! Invariant: an original is used as one literal text or not at all. A path is restored where it
//! then leads to something in the folder; a pattern and a glob where the rest of them is plain
//! text. So no error quotes an original that leads nowhere, a field that the tool does not know
//! never holds one, and no syntax around a placeholder (`[[PASSWORD_1]]`, a class of characters)
//! can ask about the characters of an original one by one.
//!
//! A short word is redacted as a word of its own only. So it is not searched for, because what is
//! found around it would show it, and a path has it only where no letter or digit joins it: a
//! folder `Annax` would otherwise be named in a result as it is.

use serde_json::Value;

use crate::redact::placeholder;
use crate::tool::root::Root;
use crate::value_search::{is_found_anywhere, is_found_between};

/// What means something else than itself in a regular expression, but for the dot.
const PATTERN_SYNTAX: &[char] = &[
    '\\', '[', ']', '(', ')', '{', '}', '?', '*', '+', '|', '^', '$', '#', '&', '~',
];
/// The same in a glob, but for `*`.
const GLOB_SYNTAX: &[char] = &['\\', '[', ']', '{', '}', '?', '!'];

type Original<'a> = &'a dyn Fn(&str) -> Option<String>;

pub(super) fn restored(root: &Root, input: &Value, original: Original) -> Value {
    let mut restored = input.clone();
    let Some(fields) = restored.as_object_mut() else {
        return restored;
    };
    let is_literal = fields.get("literal").and_then(Value::as_bool) == Some(true);
    let mut change = |name: &str, change: &dyn Fn(&str) -> Option<String>| {
        if let Some(Value::String(text)) = fields.get_mut(name)
            && let Some(changed) = change(text)
        {
            *text = changed;
        }
    };
    change("path", &|text| {
        let path = redactable_path(text, original)?;
        (path != text && root.resolve(&path).is_ok()).then_some(path)
    });
    let searchable = |it: &str| original(it).filter(|it| is_found_anywhere(it));
    change("pattern", &|text| {
        if is_literal {
            Some(placeholder::replace(text, searchable))
        } else {
            amid_plain_text(text, PATTERN_SYNTAX, regex::escape, &searchable)
        }
    });
    change("glob", &|text| {
        amid_plain_text(text, GLOB_SYNTAX, globset::escape, &searchable)
    });
    restored
}

/// A path with its originals; none where one of them would not be redacted again.
fn redactable_path(text: &str, original: Original) -> Option<String> {
    let mut path = String::with_capacity(text.len());
    let mut places = Vec::new();
    let mut from = 0;
    for place in placeholder::find(text) {
        let Some(value) = original(&text[place.clone()]) else {
            continue;
        };
        path.push_str(&text[from..place.start]);
        places.push((path.len(), value.clone()));
        path.push_str(&value);
        from = place.end;
    }
    path.push_str(&text[from..]);
    let is_redacted = |(start, value): &(usize, String)| {
        let before = path[..*start].chars().next_back();
        let after = path[start + value.len()..].chars().next();
        is_found_between(value, before, after)
    };
    places.iter().all(is_redacted).then_some(path)
}

/// With originals that mean themselves; none where what stands around them is syntax.
fn amid_plain_text(
    text: &str,
    syntax: &[char],
    escape: fn(&str) -> String,
    original: Original,
) -> Option<String> {
    let rest = placeholder::replace(text, |it| original(it).map(|_| String::new()));
    if rest == text || rest.contains(syntax) {
        return None;
    }
    let escaped = |it: &str| original(it).map(|original| escape(&original));
    Some(placeholder::replace(text, escaped))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_original_is_used_as_one_literal_text_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.b+c"), "").unwrap();
        for name in [
            "Anna",
            "Annax",
            "Anna2",
            "4711b",
            "Anna-Anna",
            "AnnaAnna",
            "ab",
        ] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        let original = |it: &str| match it {
            "[NAME_1]" => Some("a.b+c".to_owned()),
            "[NAME_2]" => Some("../a.b+c".to_owned()),
            "[WORD_1]" => Some("Anna".to_owned()),
            "[WORD_2]" => Some("4711".to_owned()),
            "[WORD_3]" => Some("ab".to_owned()),
            _ => None,
        };
        let rows = [
            (json!({"path": "[NAME_1]"}), json!({"path": "a.b+c"})),
            (json!({"path": "./[NAME_1]"}), json!({"path": "./a.b+c"})),
            (json!({"path": "./[WORD_1]"}), json!({"path": "./Anna"})),
            (
                json!({"path": "[WORD_1]-[WORD_1]/"}),
                json!({"path": "Anna-Anna/"}),
            ),
            (
                json!({"pattern": "[NAME_1]"}),
                json!({"pattern": "a\\.b\\+c"}),
            ),
            (
                json!({"pattern": "x [NAME_1]."}),
                json!({"pattern": "x a\\.b\\+c."}),
            ),
            (
                json!({"pattern": "^[NAME_1]", "literal": true}),
                json!({"pattern": "^a.b+c", "literal": true}),
            ),
            (json!({"glob": "*[NAME_1]"}), json!({"glob": "*a.b+c"})),
        ];
        for (input, expected) in rows {
            assert_eq!(restored(&root, &input, &original), expected);
        }
        let unchanged = [
            json!({"path": "[NAME_1]/x"}),
            json!({"path": "[NAME_2]"}),
            json!({"path": "./[WORD_1]x"}),
            json!({"path": "[WORD_1]2/"}),
            json!({"path": "[WORD_2]b/."}),
            json!({"path": "[WORD_1][WORD_1]"}),
            json!({"path": "[WORD_3]"}),
            json!({"path": "[OTHER_1]"}),
            json!({"path": ["[NAME_1]"]}),
            json!({"[NAME_1]": "[NAME_1]", "offset": "[NAME_1]"}),
            json!({"pattern": "[[NAME_1]]"}),
            json!({"pattern": "[^[NAME_1]]"}),
            json!({"pattern": "(?x)[ # ]\n [NAME_1] ]"}),
            json!({"pattern": "[NAME_1]?"}),
            json!({"pattern": "[WORD_1]"}),
            json!({"pattern": "[WORD_1]", "literal": true}),
            json!({"glob": "[WORD_1]*"}),
            json!({"glob": "[[NAME_1]]"}),
            json!({"glob": "{[NAME_1],x}"}),
            json!("[NAME_1]"),
        ];
        for input in unchanged {
            assert_eq!(restored(&root, &input, &original), input);
        }
    }
}
