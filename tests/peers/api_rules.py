"""Rules that the APIs enforce and no type of their packages expresses."""

import re


def broken_rules(name, body):
    """A sentence for each rule that a body of the right shape breaks."""
    yield from unpaired(body)
    marks = breakpoints(body)
    if marks > 4:
        yield f"there are {marks} cache breakpoints; 4 are allowed"
    if name == "anthropic":
        yield from anthropic_thinking(body)
        yield from anthropic_sampling(body)
        yield from anthropic_choice(body)
    if name == "mistral":
        yield from unanswered_results(body)
    if "messages" in body or "contents" in body:
        yield from order(body)


def breakpoints(node):
    if isinstance(node, dict):
        return ("cache_control" in node or "cachePoint" in node) + sum(breakpoints(value) for value in node.values())
    if isinstance(node, list):
        return sum(breakpoints(item) for item in node)
    return 0


def anthropic_thinking(body):
    budget = body.get("thinking", {}).get("budget_tokens")
    if budget is not None and budget < 1024:
        yield f"thinking.budget_tokens: {budget} is less than 1024"
    if budget is not None and budget >= body["max_tokens"]:
        yield f"thinking.budget_tokens: {budget} is not less than max_tokens"


# The last models of Anthropic's that take a temperature.
SAMPLED = re.compile(
    r"claude-(2|instant|3|4-)|claude-(sonnet|opus|haiku)-4-([0-6]$|[0-6]-|20\d{6}$)"
)


def anthropic_sampling(body):
    said = [field for field in ("temperature", "top_p", "top_k") if field in body]
    if said and not SAMPLED.match(body["model"]):
        yield f"{body['model']} refuses {' and '.join(said)}"
    if "temperature" in said and "top_p" in said:
        yield "temperature and top_p cannot both be set"
    if "temperature" in said and body.get("thinking", {}).get("type") == "enabled":
        yield "temperature cannot be set while the model thinks"


# Models of Anthropic's that cannot be forced to use a tool, with or without thinking.
UNFORCED = re.compile(r"claude-(sonnet|opus|haiku)-5-5")


def anthropic_choice(body):
    if body.get("tool_choice", {}).get("type") not in ("any", "tool"):
        return
    if UNFORCED.match(body["model"]):
        yield f"{body['model']} cannot be forced to use a tool"
    elif body.get("thinking", {}).get("type") in ("adaptive", "enabled"):
        yield "a tool cannot be forced while the model thinks"


def unanswered_results(body):
    """Mistral wants results answered before the user speaks again (code 3230)."""
    roles = [message.get("role") for message in body["messages"]]
    if ("tool", "user") in zip(roles, roles[1:]):
        yield "Unexpected role 'user' after role 'tool'"


def order(body):
    """A conversation begins and ends with what is asked, or with results to go on from."""
    items = [item for item in body.get("messages") or body.get("contents") or []
             if item.get("role") != "system"]
    if not items:
        yield "there is nothing asked"
    elif items[0].get("role") != "user":
        yield f"the first message is of the role {items[0].get('role')}"
    elif items[-1].get("role") not in ("user", "tool"):
        yield f"the last message is of the role {items[-1].get('role')}"


def calls_and_results(body):
    """Each call and each result in the order they stand in, as ("call" or "result", id)."""
    for item in body.get("messages") or body.get("input") or body.get("contents") or []:
        for call in item.get("tool_calls") or []:
            yield "call", call.get("id") or call["function"]["name"]
        if item.get("role") == "tool":
            yield "result", item.get("tool_call_id") or item.get("tool_name")
        if item.get("type") == "function_call":
            yield "call", item.get("call_id")
        if item.get("type") == "function_call_output":
            yield "result", item.get("call_id")
        parts = item.get("parts") or item.get("content")
        for part in parts if isinstance(parts, list) else []:
            if part.get("type") == "tool_use":
                yield "call", part.get("id")
            if part.get("type") == "tool_result":
                yield "result", part.get("tool_use_id")
            if part.get("toolUse"):
                yield "call", part["toolUse"].get("toolUseId")
            if part.get("toolResult"):
                yield "result", part["toolResult"].get("toolUseId")
            for kind, field in ("call", "functionCall"), ("result", "functionResponse"):
                if part.get(field):
                    yield kind, part[field].get("id") or part[field].get("name")


def unpaired(body):
    """Every API wants each call answered once, and no answer without its call."""
    waiting = []
    for kind, id_ in calls_and_results(body):
        if kind == "call":
            if id_ in waiting and not named_only(body):
                yield f"two calls of one id wait at once: {id_}"
            waiting.append(id_)
        elif id_ in waiting:
            waiting.remove(id_)
        else:
            yield f"a result without its call: {id_}"
    for id_ in waiting:
        yield f"a call without its result: {id_}"


def named_only(body):
    """Ollama knows calls by the names of their tools, and so did Gemini."""
    calls = [call for item in body.get("messages", []) for call in item.get("tool_calls") or []]
    return "contents" in body or not all("id" in call for call in calls)
