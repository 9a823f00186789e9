"""Runs a tool in the language of `motion` with the official SDK against a server that already runs, and prints what the tool
returned and every goal that the SDK sent, as one JSON object. The times are seconds since the tool began.

usage: run_motion.py PORT FOLDER_OF_MOTION TOOL.py [ARGUMENTS]
"""

import importlib.util
import json
import logging
import sys
import time

from reachy_mini import ReachyMini

logging.disable(logging.ERROR)
port, folder, file = sys.argv[1:4]
arguments = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
sys.path.insert(0, folder)
name = file.rpartition("/")[2].removesuffix(".py")
spec = importlib.util.spec_from_file_location(name, file)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)

sent = []
with ReachyMini(port=int(port), connection_mode="localhost_only", media_backend="no_media") as robot:
    began = time.monotonic()

    def logged(send, kind):
        def call(message):
            data = message.model_dump(mode="json")
            if kind == "goto" or "head" in data:
                parts = {part: data[part] for part in ("head", "antennas", "body_yaw")}
                sent.append({"kind": kind, "at": time.monotonic() - began, **parts, "duration": data.get("duration")})
            return send(message)

        return call

    robot.client.send_command = logged(robot.client.send_command, "set")
    robot.client.send_task_request = logged(robot.client.send_task_request, "goto")
    text = getattr(tool, name)(robot, **arguments)
print(json.dumps({"text": text, "sent": sent}))
