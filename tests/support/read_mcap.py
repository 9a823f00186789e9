"""Reads an MCAP file with the package of its makers, and prints what is in it as one JSON document.

usage: read_mcap.py FILE
"""

import base64
import json
import sys

from mcap.reader import make_reader

found = {"topics": {}, "schemas": {}, "first": {}, "last": {}, "times": []}
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, validate_crcs=True)
    summary = reader.get_summary()
    found["count"] = summary.statistics.message_count
    for schema, channel, message in reader.iter_messages():
        text = json.loads(message.data)
        assert schema.encoding == "jsonschema" and channel.message_encoding == "json"
        properties = json.loads(schema.data)["properties"]
        assert set(text) <= set(properties), (channel.topic, text.keys())
        stamp = text["timestamp"]
        assert stamp["sec"] * 10**9 + stamp["nsec"] == message.log_time
        found["topics"][channel.topic] = found["topics"].get(channel.topic, 0) + 1
        found["schemas"][channel.topic] = schema.name
        if channel.topic == "/camera":
            text["data"] = base64.b64decode(text["data"])[:2].hex()
        found["first"].setdefault(channel.topic, text)
        found["last"][channel.topic] = text
        found["times"].append(message.log_time)
found["times"] = [min(found["times"]), max(found["times"])]
print(json.dumps(found))
