//! Thinking that its model signed, as Anthropic's API and Bedrock's Converse write it down.

use serde_json::{Map, Value};

/// Removes it from the messages of a request; answers whether there was any. With a budget of
/// tokens a model must not think beside calls that come without the thinking that led to them,
/// so it is not asked to then.
pub(super) fn remove(body: &mut Value) -> bool {
    let Some(Value::Array(messages)) = body.get_mut("messages") else {
        return false;
    };
    let mut is_changed = false;
    for message in messages.iter_mut() {
        if let Some(Value::Array(blocks)) = message.get_mut("content") {
            let before = blocks.len();
            blocks.retain(|block| !is_signed(block));
            is_changed |= blocks.len() < before;
        }
    }
    messages.retain(|message| message["content"] != Value::Array(Vec::new()));
    if is_changed {
        let more = "additionalModelRequestFields";
        body.as_object_mut().map(drop_budget);
        body.get_mut(more)
            .and_then(Value::as_object_mut)
            .map(drop_budget);
    }
    is_changed
}

fn is_signed(block: &Value) -> bool {
    let kind = block["type"].as_str();
    matches!(kind, Some("thinking" | "redacted_thinking"))
        || block.get("reasoningContent").is_some()
}

fn drop_budget(fields: &mut Map<String, Value>) {
    if fields
        .get("thinking")
        .is_some_and(|it| it["type"] == "enabled")
    {
        fields.remove("thinking");
    }
}
