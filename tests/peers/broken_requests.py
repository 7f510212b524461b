"""Checks the judges themselves: a valid body of each package passes, and none of the ways to
break it does."""

import copy
import json

SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
FUNCTION = {"type": "function", "function": {
    "name": "look", "description": "Looks.", "parameters": SCHEMA}}
CALL = {"id": "call12345", "type": "function", "function": {"name": "look", "arguments": "{}"}}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}


def chat(**more):
    return {"model": "m", "stream": True, "tools": [FUNCTION], "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "one"}, PICTURE]},
        {"role": "assistant", "content": "two", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call12345", "content": "seen"},
        {"role": "user", "content": "three"}], **more}


def answered(body):
    """The same, with the results of tools answered before the user goes on."""
    *before, last = body["messages"]
    return {**body, "messages": [*before, {"role": "assistant", "content": "seen"}, last]}


MARK = {"type": "ephemeral"}

# Source, dialect, a valid body, and what cannot be left out of it.
VALID = [
    ("anthropic", "anthropic", {
        "model": "m", "stream": True, "max_tokens": 4000,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "output_config": {"effort": "high"},
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
        "tools": [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [
                {"type": "image", "source": {
                    "type": "base64", "media_type": "image/png", "data": "aGk="}},
                {"type": "text", "text": "one", "cache_control": MARK}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "d"},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "x"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "seen",
                 "is_error": False}]}]},
     ["model", "stream", "max_tokens", "messages", "messages.0.role", "messages.0.content",
      "messages.0.content.0.source", "messages.0.content.0.source.data",
      "messages.0.content.0.source.media_type", "messages.0.content.1.text",
      "messages.1.content.0.signature", "messages.1.content.1.data", "messages.1.content.2.id",
      "messages.1.content.2.input", "messages.2.content.0.tool_use_id",
      "thinking.budget_tokens", "tools.0.name", "tools.0.input_schema"]),
    ("openai", "openai-responses", {
        "model": "m", "stream": True, "store": False, "instructions": "Be brief.",
        "prompt_cache_key": "k", "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
        "tools": [{"type": "function", "name": "look", "description": "Looks.",
                   "parameters": SCHEMA, "strict": False}],
        "input": [
            {"type": "message", "role": "user", "content": [
                {"type": "input_image", "image_url": "data:image/png;base64,aGk=",
                 "detail": "auto"},
                {"type": "input_text", "text": "one"}]},
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "e",
             "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "two", "annotations": []}]},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"}]},
     ["stream", "input.0.role", "input.0.content", "input.0.content.0.detail",
      "input.0.content.1.text", "input.1.id", "input.1.summary", "input.1.summary.0.text",
      "input.2.id", "input.2.status", "input.2.content.0.annotations",
      "input.3.call_id", "input.3.name", "input.3.arguments", "input.4.output",
      "tools.0.name", "tools.0.parameters", "tools.0.strict"]),
    ("openai-chat", "openai-chat",
     chat(stream_options={"include_usage": True}, reasoning_effort="high", prompt_cache_key="k"),
     ["model", "stream", "messages", "messages.0.content", "messages.1.content",
      "messages.1.content.0.text", "messages.1.content.1.image_url",
      "messages.1.content.1.image_url.url", "messages.2.tool_calls.0.id",
      "messages.2.tool_calls.0.function", "messages.2.tool_calls.0.function.arguments",
      "messages.3.tool_call_id", "messages.3.content", "tools.0.function",
      "tools.0.function.name"]),
    ("openrouter", "openai-chat", {
        **chat(reasoning={"effort": "high"}),
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "one", "cache_control": MARK}]},
            {"role": "assistant", "content": "two", "reasoning_details": [
                {"type": "reasoning.text", "text": "hm", "signature": "s", "index": 0}]},
            {"role": "user", "content": "three"}]},
     ["model", "messages.0.content", "messages.1.reasoning_details.0.type",
      "messages.0.content.0.cache_control.type"]),
    ("deepseek", "openai-chat", {
        **chat(thinking={"type": "enabled"}),
        "messages": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two", "reasoning_content": "hm"},
            {"role": "user", "content": "three"}]},
     ["model", "thinking.type", "messages.0.content"]),
    ("groq", "openai-chat", chat(reasoning_effort="high"),
     ["model", "messages", "messages.0.content", "messages.1.content",
      "messages.1.content.0.text", "messages.1.content.1.image_url",
      "messages.1.content.1.image_url.url", "messages.2.tool_calls.0.id",
      "messages.2.tool_calls.0.function", "messages.2.tool_calls.0.function.arguments",
      "messages.3.tool_call_id", "messages.3.content", "tools.0.function.name"]),
    ("mistral", "openai-chat", answered(chat(reasoning_effort="high", prompt_cache_key="k")),
     ["model", "messages", "messages.0.content", "messages.1.content",
      "messages.1.content.0.text", "messages.1.content.1.image_url",
      "messages.1.content.1.image_url.url", "messages.2.tool_calls.0.function",
      "messages.2.tool_calls.0.function.name", "messages.2.tool_calls.0.function.arguments",
      "messages.3.content", "tools.0.function", "tools.0.function.name"]),
    ("gemini", "gemini", {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "generationConfig": {"thinkingConfig": {
            "includeThoughts": True, "thinkingLevel": "HIGH"}, "maxOutputTokens": 100},
        "tools": [{"functionDeclarations": [
            {"name": "look", "description": "Looks.", "parametersJsonSchema": SCHEMA}]}],
        "contents": [
            {"role": "user", "parts": [
                {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, {"text": "one"}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": True, "thoughtSignature": "aGk="},
                {"functionCall": {"id": "c1", "name": "look", "args": {"at": "x"}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "look", "response": {"r": 1}}}]}]},
     ["contents"]),
    ("ollama", "ollama", {
        "model": "m", "stream": True, "think": "high", "options": {"num_ctx": 8192},
        "tools": [FUNCTION],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one", "images": ["aGk="]},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                {"function": {"name": "look", "arguments": {"at": "x"}}}]},
            {"role": "tool", "tool_name": "look", "content": "seen"}]},
     ["model", "messages", "messages.0.role", "messages.2.tool_calls.0.function",
      "messages.2.tool_calls.0.function.name", "messages.2.tool_calls.0.function.arguments"]),
]

# Objects that hold whatever the user's tools say.
FREE = {"input_schema", "parameters", "parametersJsonSchema", "input", "args", "arguments",
        "response"}
# Fields whose text is one of a few words.
WORDS = {"type", "role", "effort", "detail", "summary", "status", "thinkingLevel", "think",
         "reasoning_effort", "media_type", "include"}


def nodes(value, path=()):
    """Every value of a body whose shape is the API's, with its path."""
    yield path, value
    is_free = path and path[-1] in FREE and isinstance(value, dict)
    if is_free:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from nodes(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from nodes(inner, (*path, index))


def changed(body, path, change):
    copied = copy.deepcopy(body)
    if not path:
        return change(copied)
    parent = copied
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = change(parent[path[-1]])
    return copied


def badly_paired(body):
    """A result of another call, and no result at all."""
    for path, value in nodes(body):
        names = ("tool_call_id", "tool_use_id", "call_id", "tool_name")
        if path and path[-1] in names and isinstance(value, str):
            yield f"another id at {path}", changed(body, path, lambda old: "other1234")
        if path and path[-1] == "functionResponse":
            yield f"another id at {path}", changed(body, path, lambda old: {**old, "id": "o"})
    for path, value in nodes(body):
        if isinstance(value, list) and path in [("messages",), ("input",), ("contents",)]:
            texts = [json.dumps(item) for item in value]
            answers = ('"role": "tool"', '"tool_result"', "_call_output", "functionResponse")
            kept = [item for item, text in zip(value, texts)
                    if not any(answer in text for answer in answers)]
            if len(kept) < len(value):
                yield "without the results", {**body, path[0]: kept}


def badly_ordered(body):
    """Begins or ends with the model; and rules of one API."""
    for name in ("messages", "contents"):
        if name in body:
            said = {"role": "model", "parts": [{"text": "x"}]} if name == "contents" else {
                "role": "assistant", "content": "x"}
            yield "the model last", {**body, name: [*body[name], said]}
            yield "the model first", {**body, name: [said, *body[name]]}
            yield "nothing asked", {**body, name: []}
    if "contents" in body:
        yield "a field of Vertex AI alone", changed(
            body, ("generationConfig",), lambda old: {**old, "modelSelectionConfig": {}})
    if "budget_tokens" in body.get("thinking", {}):
        for budget in (100, body["max_tokens"]):
            yield f"a budget of {budget}", changed(
                body, ("thinking", "budget_tokens"), lambda old: budget)
        yield "a temperature for a model that takes none", {**body, "temperature": 0.5}
        old = {**body, "model": "claude-sonnet-4-5", "temperature": 0.5}
        yield "a temperature beside thinking", old
        yield "two ways to sample", {**old, "thinking": {"type": "disabled"}, "top_p": 0.5}
        text = {"type": "text", "text": "x", "cache_control": MARK}
        yield "five breakpoints", {**body, "system": [text] * 5}
        forced = {**body, "tool_choice": {"type": "any"}}
        yield "a tool forced beside thinking", forced
        yield "a tool forced on a model that decides itself", {
            **forced, "model": "claude-haiku-5-5", "thinking": {"type": "disabled"}}


def unanswered(body):
    """What only Mistral refuses."""
    roles = [message.get("role") for message in body.get("messages", [])]
    if ("tool", "assistant") in zip(roles, roles[1:]):
        at = roles.index("tool") + 1
        kept = [*body["messages"][:at], *body["messages"][at + 1:]]
        yield "the user right after a result", {**body, "messages": kept}


def broken(body, needed):
    for path, value in nodes(body):
        at = ".".join(map(str, path)) or "the body"
        is_free = bool(path) and path[-1] in FREE
        if isinstance(value, dict) and not is_free:
            yield f"an unknown field in {at}", changed(
                body, path, lambda old: {**old, "weir_unknown": 1})
        yield f"a wrong type at {at}", changed(
            body, path, lambda old: 7 if isinstance(old, (str, bool, list, dict)) else "seven")
        yield f"an object of unknown shape at {at}", None if is_free else changed(
            body, path, lambda old: {"weir_unknown": 1})
        is_word = any(step in WORDS for step in path[-2:]) and isinstance(value, str)
        if path and path[-1] == "arguments" and isinstance(value, str):
            yield f"no JSON at {at}", changed(body, path, lambda old: "{")
        if is_word:
            yield f"an unknown word at {at}", changed(body, path, lambda old: "weir-unknown")
    yield from badly_paired(body)
    yield from badly_ordered(body)
    yield from unanswered(body)
    for path in needed:
        *outer, last = [int(p) if p.isdigit() else p for p in path.split(".")]
        drop = lambda old: {key: inner for key, inner in old.items() if key != last}
        yield f"without {path}", changed(body, outer, drop)


def self_test(problems):
    """How many broken bodies were refused for each source, and what was judged wrongly."""
    refused, wrong = {}, []
    for source, dialect, body, needed in VALID:
        request = {"source": source, "dialect": dialect}
        found = problems({**request, "body": body})
        wrong += [f"{source}: a valid body is refused: {sentence}" for sentence in found]
        refused[source] = 0
        for what, bad in broken(body, needed):
            if bad is None:
                continue
            if problems({**request, "body": bad}):
                refused[source] += 1
            else:
                wrong.append(f"{source}: {what} passes: {json.dumps(bad)}")
    return {"refused": refused, "wrong": wrong}
