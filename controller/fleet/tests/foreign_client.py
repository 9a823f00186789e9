"""Lists the robots of a fleet, reads a state, and asks for a motion, with Zenoh's own library alone."""

import json
import sys
import threading
import uuid

import zenoh

config = zenoh.Config()
config.insert_json5("mode", '"client"')
config.insert_json5("connect/endpoints", json.dumps([sys.argv[1]]))
config.insert_json5("scouting/multicast/enabled", "false")

with zenoh.open(config) as session:
    present = session.liveliness().get("minismith/lab/*/alive", timeout=5)
    robots = sorted(str(reply.ok.key_expr).split("/")[2] for reply in present)

    states = []
    arrived = threading.Event()

    def on_state(sample):
        states.append(json.loads(sample.payload.to_bytes()))
        arrived.set()

    subscriber = session.declare_subscriber(f"minismith/lab/{robots[0]}/state", on_state)
    assert arrived.wait(10), "no state arrived"
    subscriber.undeclare()

    (status,) = session.get(f"minismith/lab/{robots[0]}/status", timeout=5)
    status = json.loads(status.ok.payload.to_bytes())
    command = {
        "id": str(uuid.uuid4()),
        "epoch": status["epoch"],
        "issued_ms": status["time_ms"],
        "expires_ms": status["time_ms"] + 5000,
        "do": {"type": "say", "text": "look left 20 degrees"},
    }
    replies = session.get(f"minismith/lab/{robots[0]}/ask/visitor", payload=json.dumps(command), timeout=60)
    (reply,) = [json.loads(reply.ok.payload.to_bytes()) for reply in replies]

print(json.dumps({"robots": robots, "state": states[0], "status": status, "reply": reply}))
