"""Judges what Weir writes and reads for Amazon Bedrock, with botocore's own code.

Reads one JSON object a line and answers one a line. `do` says what:

decode    botocore's event stream decoder reads `bytes` (base64), in reads of `size` bytes
encode    an encoder of its own writes `messages`; botocore must read them as they were meant
sign      botocore signs the request; answers the Authorization header
validate  botocore checks a ConverseStream request against the service's model
"""

import base64
import binascii
import datetime
import json
import struct
import sys
from unittest import mock
from urllib.parse import unquote, urlsplit

import botocore.auth
import botocore.session
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer
from botocore.validate import ParamValidator


def decode(data, size):
    buffer = EventStreamBuffer()
    found = []
    for start in range(0, len(data), size or max(len(data), 1)):
        buffer.add_data(data[start : start + (size or len(data))])
        for event in buffer:
            payload = base64.b64encode(event.payload).decode()
            headers = {name: str(value) for name, value in event.headers.items()}
            found.append({"headers": headers, "payload": payload})
    return found


KINDS = {
    "true": lambda value: b"\x00",
    "false": lambda value: b"\x01",
    "byte": lambda value: b"\x02" + struct.pack("!b", value),
    "short": lambda value: b"\x03" + struct.pack("!h", value),
    "int": lambda value: b"\x04" + struct.pack("!i", value),
    "long": lambda value: b"\x05" + struct.pack("!q", value),
    "bytes": lambda value: b"\x06" + struct.pack("!H", len(value)) + value.encode(),
    "string": lambda value: b"\x07" + struct.pack("!H", len(value.encode())) + value.encode(),
    "time": lambda value: b"\x08" + struct.pack("!q", value),
    "uuid": lambda value: b"\x09" + bytes.fromhex(value),
}


def encode(messages):
    written = b""
    for message in messages:
        headers = b"".join(
            bytes([len(name.encode())]) + name.encode() + KINDS[kind](value)
            for name, kind, value in message["headers"]
        )
        payload = message["payload"].encode()
        prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
        prelude += struct.pack("!I", binascii.crc32(prelude) & 0xFFFFFFFF)
        body = prelude + headers + payload
        written += body + struct.pack("!I", binascii.crc32(body) & 0xFFFFFFFF)
    payloads = [base64.b64decode(event["payload"]).decode() for event in decode(written, 0)]
    assert payloads == [message["payload"] for message in messages], "botocore reads otherwise"
    return base64.b64encode(written).decode()


def sign(case):
    keys = Credentials(case["id"], case["secret"], case.get("token"))
    now = datetime.datetime.strptime(case["date"], "%Y%m%dT%H%M%SZ")
    now = now.replace(tzinfo=datetime.timezone.utc)
    request = AWSRequest(
        method=case["method"],
        url=case["url"],
        headers=case["headers"],
        data=base64.b64decode(case["body"]),
    )
    with mock.patch.object(botocore.auth, "get_current_datetime", return_value=now):
        botocore.auth.SigV4Auth(keys, "bedrock", case["region"]).add_auth(request)
    assert request.headers["X-Amz-Date"] == case["date"]
    return request.headers["Authorization"]


MODEL = None


def validate(path, body):
    """The problems of a request, none when the service's model has nothing against it."""
    global MODEL
    if MODEL is None:
        session = botocore.session.get_session()
        MODEL = session.get_service_model("bedrock-runtime").operation_model("ConverseStream")
    segments = urlsplit(path).path.split("/")
    if len(segments) != 4 or segments[1] != "model" or segments[3] != "converse-stream":
        return [f"the path {path}"]
    params = blobs(MODEL.input_shape, {**body, "modelId": unquote(segments[2])})
    report = ParamValidator().validate(params, MODEL.input_shape)
    return [report.generate_report()] if report.has_errors() else []


def blobs(shape, value):
    """With base64 turned into bytes where the model wants bytes."""
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        return {
            name: blobs(shape.members[name], part) if name in shape.members else part
            for name, part in value.items()
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [blobs(shape.member, part) for part in value]
    if shape.type_name == "blob" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    return value


def answer(asked):
    match asked["do"]:
        case "decode":
            return decode(base64.b64decode(asked["bytes"]), asked["size"])
        case "encode":
            return encode(asked["messages"])
        case "sign":
            return sign(asked)
        case "validate":
            return validate(asked["path"], asked["body"])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
