"""Turns a type of an official package into a validator that forgives nothing.

The packages describe what may be sent, but their types are used leniently at run time: unknown
fields pass, text that looks like a number is a number, and the elements of an `Iterable` are not
looked at. Here pydantic's schema of a type is rewritten so that every object refuses what it does
not know, every iterable is read, and no value is converted.
"""

import sys
import typing

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator, ValidationError


def use_plain_lists(package):
    """The packages call a list of strings `SequenceNotStr`, which pydantic cannot look into."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == package and hasattr(module, "SequenceNotStr"):
            module.SequenceNotStr = typing.List


def _strict(node):
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if isinstance(node, tuple):
        return tuple(_strict(item) for item in node)
    if not isinstance(node, dict):
        return node
    kept = {
        key: value if key in ("metadata", "serialization", "cls") else _strict(value)
        for key, value in node.items()
    }
    kind = kept.get("type")
    if kind == "generator":
        kept["type"] = "list"
    elif kind in ("typed-dict", "model-fields"):
        kept["extra_behavior"] = "forbid"
    elif kind == "enum":
        # An enum that takes any word for one of its own is no judge. Google's own documents
        # write its words in small letters too.
        kept.pop("missing", None)
        words = [member.value for member in kept["members"]]
        return {
            "type": "literal",
            "expected": sorted({*words, *(w.lower() for w in words if isinstance(w, str))}),
        }
    return kept


class Judge:
    """Says what is wrong with a body by one type."""

    def __init__(self, type_):
        schema = _strict(TypeAdapter(type_).core_schema)
        self._validator = SchemaValidator(schema, _use_prebuilt=False)

    def problems(self, body_json):
        try:
            # Only the names that stand on the wire count.
            self._validator.validate_json(body_json, strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            return _readable(error.errors(include_url=False, include_context=False))
        return []


def _readable(errors):
    """Each problem once, at its place in the body, without the alternatives of a union that
    name another kind of object."""
    other = [error["loc"][:-1] for error in errors if _is_tag(error)]
    kept = [
        error for error in errors
        if not any(error["loc"][: len(prefix)] == prefix for prefix in other)
    ]
    found = {(_place(error["loc"]), error["msg"]) for error in kept or errors}
    # "Should be a string" says nothing beside what is wrong inside of the list that it is.
    places = [place for place, _ in found]
    inner = lambda place: any(other.startswith(place + ".") for other in places)
    return sorted(f"{place}: {message}" for place, message in found if not inner(place))


def _is_tag(error):
    is_word = error["type"] in ("literal_error", "missing")
    return is_word and error["loc"] and error["loc"][-1] in ("type", "role")


def _place(loc):
    """A path without the names of types that pydantic puts between the steps."""
    names = ("str", "int", "bool", "float", "dict", "bytes")

    def is_step(part):
        return isinstance(part, int) or not (
            part[0].isupper() or "[" in part or part in names
        )

    return ".".join(str(part) for part in loc if is_step(part)) or "the body"
