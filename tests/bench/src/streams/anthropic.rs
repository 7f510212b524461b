//! The Messages stream: named events, a start and a stop for each block.

use super::{OUTPUT_TOKENS, Reply, Stream, quoted};

pub(super) fn write(reply: &Reply) -> Stream {
    let mut out = String::new();
    event(
        &mut out,
        "message_start",
        r#","message":{"id":"msg_bench","type":"message","role":"assistant","model":"claude-bench","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":421,"cache_creation_input_tokens":0,"cache_read_input_tokens":2048,"output_tokens":1,"service_tier":"standard"}}"#,
    );
    event(&mut out, "ping", "");
    let mut index = 0;
    if !reply.thinking.is_empty() {
        start(
            &mut out,
            index,
            r#"{"type":"thinking","thinking":"","signature":""}"#,
        );
        for piece in &reply.thinking {
            delta(&mut out, index, "thinking_delta", "thinking", piece);
        }
        delta(
            &mut out,
            index,
            "signature_delta",
            "signature",
            "RXZlcnkgd29yZCBpcyB0aGVyZS4=",
        );
        stop(&mut out, index);
        index += 1;
    }
    start(&mut out, index, r#"{"type":"text","text":""}"#);
    for piece in &reply.text {
        delta(&mut out, index, "text_delta", "text", piece);
    }
    stop(&mut out, index);
    for call in &reply.calls {
        index += 1;
        let (id, name) = (&call.id, call.name);
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}"#);
        start(&mut out, index, &block);
        for piece in &call.pieces {
            delta(&mut out, index, "input_json_delta", "partial_json", piece);
        }
        stop(&mut out, index);
    }
    event(
        &mut out,
        "message_delta",
        &format!(
            r#","delta":{{"stop_reason":"tool_use","stop_sequence":null}},"usage":{{"input_tokens":421,"cache_creation_input_tokens":0,"cache_read_input_tokens":2048,"output_tokens":{OUTPUT_TOKENS}}}"#
        ),
    );
    event(&mut out, "message_stop", "");
    Stream {
        dialect: "anthropic",
        bytes: out.into(),
        deltas: reply.deltas(),
        says: reply.says(),
    }
}

fn event(out: &mut String, name: &str, rest: &str) {
    out.push_str(&format!(
        "event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n"
    ));
}

fn start(out: &mut String, index: usize, block: &str) {
    let rest = format!(r#","index":{index},"content_block":{block}"#);
    event(out, "content_block_start", &rest);
}

fn delta(out: &mut String, index: usize, kind: &str, field: &str, piece: &str) {
    let piece = quoted(piece);
    let rest = format!(r#","index":{index},"delta":{{"type":"{kind}","{field}":{piece}}}"#);
    event(out, "content_block_delta", &rest);
}

fn stop(out: &mut String, index: usize) {
    event(out, "content_block_stop", &format!(r#","index":{index}"#));
}
