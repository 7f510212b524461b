"""Judges Weir's requests by the types of the providers' official packages.

Reads one JSON object a line: `name` (of the case), `source`, `dialect`, `path`, and the `body`
that was sent. Writes one a line: `name`, and `problems`, a list of sentences that is empty for a
body that the package could have sent itself. `{"selfTest": true}` asks whether broken bodies are
refused.
"""

import json
import re
import sys
from typing import Any, Dict, List, Optional

import anthropic.types.message_create_params
import google.genai as google_client
import google.genai.models as google_models
import google.genai.types as google
import groq.types.chat.completion_create_params
import mistralai.client.models.chatcompletionstreamrequest as mistral
import ollama._types as ollama
import openai.types.chat.chat_completion_function_tool_param
import openai.types.chat.completion_create_params
import openai.types.responses.response_create_params
import openai.types.shared_params
from pydantic import Field, Json
from typing_extensions import Annotated, Literal, Required, TypedDict

import aws
from api_rules import broken_rules
from broken_requests import self_test
from strict_types import Judge, use_plain_lists


class GenerateContent(TypedDict, total=False):
    """The body that google-genai's converters write for the Gemini API; it has no type there."""

    contents: Required[List[google.Content]]
    systemInstruction: google.Content
    generationConfig: google.GenerationConfig
    tools: List[google.Tool]
    toolConfig: google.ToolConfig
    safetySettings: List[google.SafetySetting]
    cachedContent: str


class OllamaMessage(ollama.Message):
    role: Literal["system", "user", "assistant", "tool"]
    # The package takes paths and bytes as well, and sends base64.
    images: Optional[List[Annotated[str, Field(pattern="^[A-Za-z0-9+/]+=*$")]]] = None


class OllamaChat(ollama.ChatRequest):
    """`ChatRequest` without its alternatives that let any object pass."""

    messages: List[OllamaMessage]
    options: Optional[ollama.Options] = None
    # Documented for the API; the package says `str`.
    think: Optional[bool | Literal["low", "medium", "high", "max"]] = None


def package(name):
    """The type of one streamed request in each package."""
    if name == "anthropic":
        return anthropic.types.message_create_params.MessageCreateParamsStreaming
    if name == "openai-responses":
        return openai.types.responses.response_create_params.ResponseCreateParamsStreaming
    if name == "openai-chat":
        return openai.types.chat.completion_create_params.CompletionCreateParamsStreaming
    if name == "groq":
        return groq.types.chat.completion_create_params.CompletionCreateParams
    if name == "mistral":
        return mistral.ChatCompletionStreamRequestTypedDict
    if name == "gemini":
        return GenerateContent
    if name == "ollama":
        return OllamaChat
    raise KeyError(name)


# The package that judges a source is its dialect's, unless it has one of its own.
OWN_PACKAGE = {"groq": "groq", "mistral": "mistral"}


class CacheControl(TypedDict, total=False):
    type: Required[Literal["ephemeral"]]
    ttl: Literal["5m", "1h"]


class OpenRouterReasoning(TypedDict, total=False):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    max_tokens: int
    exclude: bool
    enabled: bool


class OpenRouterDetail(TypedDict, total=False):
    type: Required[Literal["reasoning.summary", "reasoning.encrypted", "reasoning.text"]]
    id: Optional[str]
    format: Optional[str]
    index: int
    summary: str
    data: str
    text: Optional[str]
    signature: Optional[str]


class OpenRouterPlugin(TypedDict, total=False):
    id: Required[Literal["web"]]
    max_results: int


ChatTool = openai.types.chat.chat_completion_function_tool_param.ChatCompletionFunctionToolParam


class ZaiSearchSettings(TypedDict, total=False):
    enable: Required[bool]
    search_engine: Required[str]
    search_result: bool


class ZaiSearch(TypedDict):
    type: Literal["web_search"]
    web_search: ZaiSearchSettings


class UsageOption(TypedDict):
    include_usage: bool


class Switch(TypedDict):
    type: Literal["enabled", "disabled"]


Arguments = Json[Dict[str, Any]]
# Ids and names that the APIs refuse otherwise, whatever their types say.
ToolName = Annotated[str, Field(pattern="^[a-zA-Z0-9_-]{1,64}$")]
ChatCallId = Annotated[str, Field(min_length=1, max_length=40)]
ResponseCallId = Annotated[str, Field(min_length=1, max_length=64)]
ResponseItemId = Annotated[str, Field(pattern="^(rs|msg|fc|ws|ci|fs|ig|mcp)_", max_length=64)]
AnthropicId = Annotated[str, Field(pattern="^[a-zA-Z0-9_-]+$")]
MistralId = Annotated[str, Field(pattern="^[a-zA-Z0-9]{9}$")]
SomeText = Annotated[str, Field(min_length=1)]
CacheKey = Annotated[str, Field(min_length=1, max_length=64)]

# What a server that is judged by another's package documents beyond it: where, and as what.
EXTENSIONS = {
    # The package has dropped what only older models take; api_rules.py knows which.
    "anthropic": {
        "temperature": Annotated[float, Field(ge=0, le=1)],
        "top_p": Annotated[float, Field(ge=0, le=1)],
        "top_k": Annotated[int, Field(ge=0)],
    },
    "openrouter": {
        "reasoning": OpenRouterReasoning,
        "messages.*.reasoning": str,
        "messages.*.reasoning_details": List[OpenRouterDetail],
        "messages.*.content.*.cache_control": CacheControl,
        "plugins": List[OpenRouterPlugin],
    },
    "deepseek": {"thinking": Switch, "messages.*.reasoning_content": str},
    "moonshot": {"thinking": Switch, "messages.*.reasoning_content": SomeText},
    "zai": {
        "thinking": Switch,
        "tool_stream": bool,
        "messages.*.reasoning_content": str,
        "tools": List[ChatTool | ZaiSearch],
    },
    "qwen": {
        "enable_thinking": bool,
        "enable_search": bool,
        "messages.*.reasoning_content": str,
    },
    "perplexity": {
        "preset": Literal["fast", "low", "medium", "high"],
        "response_format": openai.types.shared_params.ResponseFormatJSONSchema,
    },
    "llamacpp": {
        "chat_template_kwargs": Dict[str, Any],
        "messages.*.reasoning_content": str,
    },
    "vllm": {
        "chat_template_kwargs": Dict[str, Any],
        "messages.*.reasoning_content": str,
        "messages.*.reasoning": str,
    },
    # The package's own words on usage name it; its type of a request forgets it.
    "groq": {"stream_options": UsageOption},
    # The package lists a few words of JSON Schema; the server skips those it does not know.
    "ollama": {"tools.*.function.parameters": Dict[str, Any]},
}

# What the API takes where its package leaves it open.
NARROWER = {
    "anthropic": {
        "messages.*.content.*.id": AnthropicId,
        "messages.*.content.*.tool_use_id": AnthropicId,
        "messages.*.content.*.text": SomeText,
        "messages.*.content": Annotated[List[Any], Field(min_length=1)],
        "tools.*.name": ToolName,
    },
    "openai-responses": {
        "input.*.arguments": Arguments,
        "input.*.call_id": ResponseCallId,
        "input.*.id": ResponseItemId,
        "prompt_cache_key": CacheKey,
        "tools.*.name": ToolName,
    },
    "openai-chat": {
        "messages.*.tool_calls.*.function.arguments": Arguments,
        "messages.*.tool_calls.*.id": ChatCallId,
        "messages.*.tool_call_id": ChatCallId,
        "prompt_cache_key": CacheKey,
        "tools.*.function.name": ToolName,
    },
    "groq": {
        "tools.*.type": Literal["function", "browser_search", "code_interpreter"],
        "messages.*.tool_calls.*.function.arguments": Arguments,
        "messages.*.tool_calls.*.id": ChatCallId,
        "tools.*.function.name": ToolName,
    },
    "mistral": {
        "messages.*.tool_calls.*.type": Literal["function"],
        "messages.*.tool_calls.*.function.arguments": Arguments,
        "messages.*.tool_calls.*.id": MistralId,
        "messages.*.tool_call_id": MistralId,
    },
    "gemini": {
        "contents.*.role": Literal["user", "model"],
        "contents.*.parts": Annotated[List[Any], Field(min_length=1)],
        "tools.*.functionDeclarations.*.parametersJsonSchema": Dict[str, Any],
    },
    "ollama": {"tools.*.type": Literal["function"]},
}

EXTENSIONS["vertex-claude"] = {
    **EXTENSIONS["anthropic"],
    "anthropic_version": Literal["vertex-2023-10-16"],
}

_judges = {}


def judge(type_):
    key = id(type_)
    if key not in _judges:
        # The type is kept, so that its id stays its own.
        _judges[key] = (type_, Judge(type_))
    return _judges[key][1]


def found_at(node, path):
    """Everything that stands at a path, with the object that holds it and where it is."""
    name, *rest = path
    if name == "*":
        items = enumerate(node) if isinstance(node, list) else ()
        return [(f"{i}.{at}", *found) for i, item in items for at, *found in found_at(item, rest)]
    if not isinstance(node, dict) or name not in node:
        return []
    if not rest:
        return [(name, node, node[name])]
    return [(f"{name}.{at}", *found) for at, *found in found_at(node[name], rest)]


def problems(request):
    source = request["source"]
    name = OWN_PACKAGE.get(source, request["dialect"])
    body = json.loads(json.dumps(request["body"]))
    if name == "bedrock":
        found = aws.validate(request["path"], body)
        return found or sorted({*broken_rules(name, body)})
    if source == "vertex-claude":
        # Its model stands in the address.
        model = re.fullmatch(r"/v1/projects/.*/models/(.+):streamRawPredict", request["path"])
        if not model or "model" in body:
            return [f"the path {request['path']}, with a model in the body: {'model' in body}"]
        body["model"] = model[1]
    whole = json.loads(json.dumps(body))
    if name == "mistral":
        name_schema(body)
    found = []

    def check(path, type_):
        places = found_at(body, path.split("."))
        for at, _, value in places:
            sentences = judge(type_).problems(json.dumps(value))
            found.extend(s.replace("the body", at) if s.startswith("the body") else f"{at}.{s}"
                         for s in sentences)
        return places

    for path, type_ in NARROWER.get(name, {}).items():
        check(path, type_)
    for path, type_ in EXTENSIONS.get(source, {}).items():
        for _, holder, _ in check(path, type_):
            del holder[path.split(".")[-1]]
    try:
        type_ = package(name)
    except KeyError:
        return [f"no package judges {source}, which speaks {name}: see validate_requests.py"]
    found += judge(type_).problems(json.dumps(body))
    if found:
        # What has the wrong shape cannot be followed.
        return sorted({*found})
    if name == "gemini":
        found += converted(whole, CONVERTERS[source])
    return sorted({*found, *broken_rules(name, whole)})


def name_schema(body):
    """The package's type names the schema of a reply otherwise than the API; its own models write
    `schema` as well."""
    for _, described, schema in found_at(body, ["response_format", "json_schema", "schema"]):
        described["schema_definition"] = schema
        del described["schema"]


_google = google_client.Client(api_key="none")._api_client
CONVERTERS = {
    "gemini": google_models._GenerateContentParameters_to_mldev,
    "vertex": google_models._GenerateContentParameters_to_vertex,
}


def converted(body, convert):
    """Whether google-genai's own converter would write such a request for this API: some fields
    are for the Gemini API alone, others for Vertex AI."""
    config = {**body.get("generationConfig", {}), **body}
    config = {k: v for k, v in config.items() if k not in ("contents", "generationConfig")}
    try:
        asked = google._GenerateContentParameters(
            model="some-model",
            contents=[google.Content.model_validate(content) for content in body["contents"]],
            config=google.GenerateContentConfig.model_validate(config),
        )
        convert(_google, asked, None, asked)
    except ValueError as error:
        return [f"google-genai refuses it: {str(error).splitlines()[0]}"]
    return []


def main():
    for name in ("anthropic", "openai", "groq"):
        use_plain_lists(name)
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("selfTest"):
            answer = self_test(problems)
        else:
            answer = {"name": request["name"], "problems": problems(request)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
