"""Moves a robot through the official daemon, by its REST interface and by the official SDK, and looks whether the motors
moved by a way of its own.

    drive_daemon.py PORT

PORT is a serial port behind which the servos are. Prints as JSON what each way saw; the exit code is 0 when all is as it
should be. The daemon is stopped at the end, and the servos are then read with the official motor library, without it.
"""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path

# How near is there: the servos are emulated with a lag, and one count of an encoder is 0.0015 rad.
CLOSE = 0.02
# How long to look for the end of a motion. The daemon does not evaluate a motion at its end: on a busy machine its last
# tick may come long before that, and there it stays. So a motion may be asked for more than once.
PATIENCE_SECONDS = 4
TRIES = 8
# By REST: right and left antenna, and the body. By the SDK: the antennas and the head's yaw.
REST_GOAL = {"antennas": [0.6, -0.5], "body_yaw": 0.35, "duration": 0.8}
SDK_ANTENNAS = [-0.4, 0.7]


class Daemon:
    """The official daemon, through the script beside this one."""

    def __init__(self, port, http_port):
        script = Path(__file__).with_name("daemon.py")
        self.process = subprocess.Popen(
            [sys.executable, script, port, http_port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.running = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the script that runs the daemon ended; what it said stands above")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def ask(self, method, path, body=None):
        words = [method, path] if body is None else [method, path, json.dumps(body)]
        for _ in range(TRIES - 1):
            print(*words, file=self.process.stdin, flush=True)
            try:
                return self.answer()
            except RuntimeError:
                # It answers with an error while it has missed what the servos said, which happens on a busy machine.
                time.sleep(0.5)
        print(*words, file=self.process.stdin, flush=True)
        return self.answer()

    def stop(self):
        self.process.stdin.close()
        ended = self.answer()["exit"]
        self.process.wait()
        return ended


def near(seen, goal):
    return all(abs(one - other) < CLOSE for one, other in zip(seen, goal, strict=True))


def move_until(move, look, goal):
    """Moves until the goal is reached, and returns what was seen last."""
    for _ in range(TRIES):
        move()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            seen = list(look())
            if near(seen, goal):
                return seen
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
    return seen


def by_rest(daemon):
    """A goto over the REST interface, and the daemon's own word on it."""

    def where():
        state = daemon.ask("GET", "/api/state/full")
        return [state["body_yaw"], *state["antennas_position"]]

    goal = [REST_GOAL["body_yaw"], *REST_GOAL["antennas"]]
    before = where()
    daemon.ask("POST", "/api/motors/set_mode/enabled")
    seen = move_until(lambda: daemon.ask("POST", "/api/move/goto", REST_GOAL), where, goal)
    return {"before": before, "goal": goal, "seen": seen}


def by_sdk(http_port):
    """A goto by the official client."""
    from reachy_mini import ReachyMini
    from reachy_mini.utils import create_head_pose

    with ReachyMini(
        port=int(http_port), connection_mode="localhost_only", media_backend="no_media", timeout=60
    ) as robot:

        def move():
            try:
                robot.goto_target(head=create_head_pose(yaw=10), antennas=SDK_ANTENNAS, duration=0.8, body_yaw=None)
            except (TimeoutError, ConnectionError):
                # It allows a second beyond the motion's own time, and one without a word, which a busy machine may
                # not keep.
                time.sleep(1)

        seen = move_until(move, robot.get_present_antenna_joint_positions, SDK_ANTENNAS)
        return {"goal": SDK_ANTENNAS, "seen": seen}


def by_library(port):
    """Where the servos are, without the daemon."""
    from reachy_mini_motor_controller import ReachyMiniMotorController

    deadline = time.monotonic() + 30
    while True:
        try:
            return ReachyMiniMotorController(port).read_all_positions()
        except RuntimeError:
            # The port may be held for a moment by who had it before, and the library waits only 10 ms for an answer.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def main(port):
    seen = {"servos_before": by_library(port)}
    http_port = free_port()
    daemon = Daemon(port, http_port)
    seen["daemon"] = daemon.running
    try:
        seen["rest"] = by_rest(daemon)
        seen["sdk"] = by_sdk(http_port)
    finally:
        seen["exit"] = daemon.stop()
    seen["servos_after"] = by_library(port)
    # The SDK's motion leaves the body where the one before brought it.
    goal = [REST_GOAL["body_yaw"], *SDK_ANTENNAS]
    before, after = ([nine[0], *nine[7:]] for nine in (seen["servos_before"], seen["servos_after"]))
    checks = {
        "the daemon says that it is running": seen["daemon"]["state"] == "running",
        "it says that its robot moved by REST": near(seen["rest"]["seen"], seen["rest"]["goal"]),
        "it was not there before": not near(seen["rest"]["before"], seen["rest"]["goal"]),
        "the SDK says that the robot moved": near(seen["sdk"]["seen"], SDK_ANTENNAS),
        "the daemon ended cleanly": seen["exit"] == 0,
        "the servos really moved": near(after, goal) and not near(before, goal),
    }
    seen["failed"] = [check for check, right in checks.items() if not right]
    print(json.dumps(seen))
    return 1 if seen["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
