//! Inputs that come as plain words: code, a patch, commands, the one text of a custom tool.
//!
//! Owns the JSON around them. What a block's pieces spell is always its input, so words are
//! told as a part of the JSON they will be.

use serde_json::Value;

/// Plain words that stand for a part of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Spelled {
    place: InputField,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputField {
    /// The input is this text.
    Whole,
    Field(&'static str),
    /// One text of a list.
    Entry(&'static str, u64),
}

impl Spelled {
    pub(in super::super) fn from_event(kind: &str, nth: u64) -> Option<Self> {
        let (event, _) = kind.strip_prefix("response.")?.rsplit_once('.')?;
        let place = match event {
            "custom_tool_call_input" => InputField::Whole,
            "code_interpreter_call_code" => InputField::Field("code"),
            "apply_patch_call_operation_diff" => InputField::Field("diff"),
            "shell_call_command" => InputField::Entry("commands", nth),
            _ => return None,
        };
        Some(Self { place })
    }

    /// The next words, as JSON. `before` is where the last ones stood, if there were any.
    pub(super) fn piece(self, before: Option<Self>, words: &str) -> String {
        let mut json = match before {
            None => self.opening(),
            Some(before) if before == self => String::new(),
            Some(_) => "\",\"".to_owned(),
        };
        let quoted = Value::from(words).to_string();
        json.push_str(&quoted[1..quoted.len() - 1]);
        json
    }

    /// Whether the words are an input however many of them came. Half a patch is none.
    pub(super) fn is_text(self) -> bool {
        self.place == InputField::Whole
    }

    fn opening(self) -> String {
        match self.place {
            InputField::Whole => "\"".to_owned(),
            InputField::Field(name) => format!("{{\"{name}\":\""),
            InputField::Entry(name, _) => format!("{{\"{name}\":[\""),
        }
    }

    /// The JSON after the last word, with what else there is to `input`.
    pub(super) fn closing(self, input: &Value) -> String {
        let (name, mut json) = match self.place {
            InputField::Whole => return "\"".to_owned(),
            InputField::Field(name) => (name, "\"".to_owned()),
            InputField::Entry(name, _) => (name, "\"]".to_owned()),
        };
        for (field, value) in input.as_object().into_iter().flatten() {
            if field != name {
                json.push_str(&format!(",{}:{value}", Value::from(field.as_str())));
            }
        }
        json.push('}');
        json
    }
}
