//! The parts of thinking that a server sends as `reasoning_details` and wants back as they came.
//!
//! A part may come in pieces, one a chunk, that differ in their words alone: those are put
//! together, in order. Sealed parts come whole.

use serde_json::Value;

use crate::source::dialect::json::text;

/// Fields whose pieces make up one text.
const GROWING: [&str; 2] = ["text", "summary"];

/// Adds a part, or a piece of the last one, to a list.
pub(in crate::source::openai_chat) fn add(list: &mut Option<Value>, part: &Value) {
    let list = list.get_or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(parts) = list else {
        return;
    };
    match parts.last_mut() {
        Some(last) if goes_on(last, part) => grow(last, part),
        Some(_) | None => parts.push(part.clone()),
    }
}

/// Whether a piece belongs to the part before it: the same kind at the same place, and no part
/// that is whole in itself.
fn goes_on(last: &Value, piece: &Value) -> bool {
    let is_same = |field: &str| {
        let (last, piece) = (&last[field], &piece[field]);
        last == piece || (field != "index" && (last.is_null() || piece.is_null()))
    };
    let kind = text(piece, "type");
    matches!(kind, "reasoning.text" | "reasoning.summary")
        && last["type"] == piece["type"]
        && ["index", "id", "format"].iter().all(|field| is_same(field))
        // A signature ends a part.
        && text(last, "signature").is_empty()
}

fn grow(last: &mut Value, piece: &Value) {
    let (Some(last), Some(piece)) = (last.as_object_mut(), piece.as_object()) else {
        return;
    };
    for (name, value) in piece {
        match (last.get_mut(name), value) {
            (Some(Value::String(words)), Value::String(more))
                if GROWING.contains(&name.as_str()) =>
            {
                words.push_str(more);
            }
            (Some(Value::Null) | None, value) => {
                last.insert(name.clone(), value.clone());
            }
            (Some(Value::String(before)), value) if before.is_empty() => {
                last.insert(name.clone(), value.clone());
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_are_put_together_and_sealed_parts_stay_whole() {
        let pieces = json!([
            {"type": "reasoning.text", "text": "We", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.text", "text": "ll.", "format": "anthropic-claude-v1", "index": 0},
            {"type": "reasoning.text", "signature": "s1", "format": "anthropic-claude-v1",
                "index": 0},
            {"type": "reasoning.text", "text": "Next.", "index": 0},
            {"type": "reasoning.summary", "summary": "A", "id": "rs_1", "index": 1},
            {"type": "reasoning.summary", "summary": "b", "index": 1},
            {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 1},
            {"type": "reasoning.encrypted", "data": "y", "id": "rs_1", "index": 1},
            {"type": "reasoning.other", "text": "?", "new": [1]},
        ]);
        let mut list = None;
        for piece in pieces.as_array().unwrap() {
            add(&mut list, piece);
        }
        assert_eq!(
            list.unwrap(),
            json!([
                {"type": "reasoning.text", "text": "Well.", "signature": "s1",
                    "format": "anthropic-claude-v1", "index": 0},
                {"type": "reasoning.text", "text": "Next.", "index": 0},
                {"type": "reasoning.summary", "summary": "Ab", "id": "rs_1", "index": 1},
                {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 1},
                {"type": "reasoning.encrypted", "data": "y", "id": "rs_1", "index": 1},
                {"type": "reasoning.other", "text": "?", "new": [1]},
            ])
        );
    }
}
