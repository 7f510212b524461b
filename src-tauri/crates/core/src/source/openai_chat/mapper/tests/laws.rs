//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let call = |call: Value| delta(json!({ "tool_calls": [call] }));
    let sealed = json!([{ "type": "reasoning.encrypted", "data": "seal", "index": 0 }]);
    let cited = json!([{ "type": "url_citation", "url_citation": { "url": "u" } }]);
    let mut listed = content("猫が好き 🦀🦀");
    listed["citations"] = json!(["https://ü"]);
    listed["search_results"] = json!([{ "url": "https://ü", "title": "ü" }]);
    let mut usage = chunk(json!([]));
    usage["usage"] = json!({ "prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12 });
    vec![
        first(),
        content("\n<thi"),
        content("nk>grün 猫 🦀 </th"),
        content("ink>\n\n"),
        delta(json!({ "reasoning_content": "später 🦀" })),
        delta(json!({ "content": "", "reasoning": "noch", "reasoning_details": sealed })),
        delta(json!({ "content": [
            { "type": "thinking", "thinking": [{ "type": "text", "text": "ä" }], "signature": "s" },
            { "type": "text", "text": "ö", "annotations": cited },
        ] })),
        content("ein Wörtchen\n\n"),
        listed,
        delta(json!({ "refusal": "nein", "annotations": cited })),
        delta(json!({ "images": [{ "image_url": { "url": "data:image/png;base64,aGk=" } }] })),
        delta(json!({ "audio": { "transcript": "laut", "data": "aGk=" } })),
        call(json!({ "index": 0, "id": "t1", "function": { "name": "look", "arguments": "" } })),
        call(json!({ "index": 0, "function": { "arguments": "{\"ß\":" } })),
        call(json!({ "index": 0, "function": { "arguments": "\"猫\"}" } })),
        call(json!({ "function": { "name": "look", "arguments": [1] } })),
        delta(json!({ "function_call": { "name": "old", "arguments": "{" } })),
        delta(json!({ "news": "🗞" })),
        chunk(json!([{ "index": 1, "delta": { "content": "zweite" } }])),
        finish("tool_calls"),
        usage,
        json!("[DONE]"),
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    let whole = json!({ "role": "assistant", "content": "<think>a</think> b" });
    vec![
        chunk(json!([{ "index": 0, "message": whole, "finish_reason": "stop" }])),
        chunk(json!([{ "index": 0, "text": "a", "finish_reason": "odd" }])),
        content("<think>"),
        content("</think> b"),
        delta(
            json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "}" } }, { "id": "t" }] }),
        ),
        json!({ "error": { "message": "ö", "code": 429 } }),
        json!({ "object": "error", "message": "ö" }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::each_call_once);
}

proptest! {
    /// The two levels of reading must not differ in what they hear.
    #[test]
    fn a_field_more_changes_nothing(mut chunks in testing::disorder(&everything(), &others())) {
        // An error that has no words is told as the frame, with the field more.
        chunks.retain(|chunk| chunk["object"] != "error");
        let mut forced = chunks.clone();
        for chunk in &mut forced {
            if let Some(Value::Object(choice)) = chunk.pointer_mut("/choices/0") {
                choice.entry("usage").or_insert(json!(["to the other level"]));
            }
        }
        let words = |chunks: &[Value]| testing::without_raw(read(chunks));
        prop_assert_eq!(words(&chunks), words(&forced));
    }
}
