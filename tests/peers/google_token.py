"""Judges a statement that Weir signs for Google, with Google's own package.

Reads one JSON object a line: `statement`, and the PEM of the `private_key` that must have signed
it. Answers the claims; fails where the signature is not the key's.
"""

import json
import sys

from cryptography.hazmat.primitives import serialization
from google.auth import jwt

if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        key = serialization.load_pem_private_key(asked["private_key"].encode(), None)
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        print(json.dumps(jwt.decode(asked["statement"], certs=public)), flush=True)
