//! Small words for reading JSON whose shape nobody promised.

use serde_json::Value;
use weir_protocol::StreamEvent;

/// A field's text, empty when it has none.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

pub(crate) fn some_text(value: &Value, field: &str) -> Option<String> {
    value[field].as_str().map(str::to_owned)
}

/// A list's items; none when it is no list.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A whole number, also when it is written as a fraction or as text.
pub(crate) fn count(value: &Value, field: &str) -> Option<u64> {
    let number = &value[field];
    number
        .as_u64()
        .or_else(|| number.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64))
        .or_else(|| number.as_str()?.trim().parse().ok())
}

/// The value a frame holds. What is no JSON is handed on as `Raw`, and emptiness says nothing.
pub(crate) fn value(data: &str, out: &mut Vec<StreamEvent>) -> Option<Value> {
    match serde_json::from_str(data) {
        Ok(value) => Some(value),
        Err(_) => {
            if !data.trim_ascii().is_empty() {
                let value = Value::String(data.to_owned());
                out.push(StreamEvent::Raw { value });
            }
            None
        }
    }
}
