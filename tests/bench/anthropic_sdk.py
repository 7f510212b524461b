"""The contestant of the wire benchmark that runs in Python: the package `anthropic`, given
the bytes by a transport that answers them in reads of the asked size. Talks in lines, in the
way that tests/peers/bench.mjs describes."""

import json
import sys
import time

import anthropic
import httpx2 as httpx

NAME = f"anthropic {anthropic.__version__} (Python)"
FLOOR = "httpx (Python), reads alone"
streams = {}
reads = []


def answer_reads(_request):
    headers = {"content-type": "text/event-stream"}
    return httpx.Response(200, headers=headers, content=iter(reads))


http = httpx.Client(transport=httpx.MockTransport(answer_reads))
client = anthropic.Anthropic(api_key="none", base_url="http://localhost", http_client=http)


def events():
    """The events themselves, not the helper that also puts a message together: the least
    the package can be asked for."""
    return client.messages.create(
        model="claude-bench",
        max_tokens=8192,
        messages=[{"role": "user", "content": "Hello."}],
        stream=True,
    )


def reads_alone():
    with http.stream("POST", "http://localhost") as response:
        yield from response.iter_bytes()


def tell():
    text, thinking, inputs, tokens = [], [], [], 0
    for event in events():
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            inputs.append("")
        elif event.type == "content_block_delta":
            delta = event.delta
            if delta.type == "text_delta":
                text.append(delta.text)
            elif delta.type == "thinking_delta":
                thinking.append(delta.thinking)
            elif delta.type == "input_json_delta":
                inputs[-1] += delta.partial_json
        elif event.type == "message_delta":
            tokens = event.usage.output_tokens
    return {
        "text": "".join(text),
        "thinking": "".join(thinking),
        "inputs": [json.loads(input) for input in inputs],
        "outputTokens": tokens,
    }


def measure(make, milliseconds):
    end = time.monotonic() + milliseconds / 1000
    before = time.thread_time_ns()
    passes = 0
    while passes == 0 or time.monotonic() < end:
        for _ in make():
            pass
        passes += 1
    return {"nanoseconds": (time.thread_time_ns() - before) / passes}


def answer(verb, name, dialect, size=None, milliseconds=None):
    global reads
    if verb == "stream":
        with open(dialect, "rb") as file:
            streams[name] = file.read()
        return {}
    whole = streams[dialect]
    reads = [whole[at : at + size] for at in range(0, len(whole), size)]
    if verb == "tell":
        return tell()
    return measure(events if name == NAME else reads_alone, milliseconds)


def say(value):
    print(json.dumps(value), flush=True)


say([
    {"name": NAME, "role": "peer", "dialects": ["anthropic"]},
    {"name": FLOOR, "role": "floor", "dialects": ["anthropic"]},
])
for line in sys.stdin:
    try:
        say(answer(*json.loads(line)))
    except Exception as error:
        say({"error": str(error)})
