"""Runs the official daemon on a serial port, passes requests to it, and stops it cleanly.

    daemon.py PORT HTTP_PORT [BEATS]

Once the daemon says that it is running, one line of JSON tells so, or {"error": ..} with the end of its log. From then
on each line `METHOD PATH [JSON]` is a request to it, and its answer one line of JSON. The end of the input stops the
daemon, and a last line tells its exit code. With a file for BEATS, the line `beats` is answered with the moments,
nanoseconds, at which its control loop has begun a turn since the last such line. Where standard input is a socket the answers go back on it.
"""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

# Importing its packages from a cold, slow disk takes its time.
START_SECONDS = 120
STOP_SECONDS = 30
# It gives each servo 10 ms to answer when it starts, and asks once; on a busy machine that may be too little.
STARTS = 5


def request(method, path, body=None):
    data = None if body is None else body.encode()
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"http://127.0.0.1:{HTTP_PORT}{path}", data, headers, method=method)
    with urllib.request.urlopen(asked, timeout=20) as response:
        return json.load(response)


# The loop notes these moments itself, in the line before it calls `_update`, but keeps only the last second of them.
NOTING = '''
import os, sys, time
from reachy_mini.daemon.app.main import main
from reachy_mini.daemon.backend.robot.backend import RobotBackend
beats = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
update = RobotBackend._update
def noting(self):
    os.write(beats, time.monotonic_ns().to_bytes(8, "little"))
    update(self)
RobotBackend._update = noting
main()
'''


def start(home):
    program = [Path(sys.executable).with_name("reachy-mini-daemon")] if BEATS is None else ["-c", NOTING, BEATS]
    # No wake-up, no sleep move, no camera, no fetching of data sets, no telemetry; its files go to a folder of its own.
    arguments = ["-p", PORT, "--no-media", "--dataset-update-interval", "0", "--no-wake-up-on-start"]
    arguments += ["--no-goto-sleep-on-stop", "--fastapi-port", HTTP_PORT]
    environment = os.environ | {"HOME": home, "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1"}
    log = open(Path(home, "log"), "wb")
    return subprocess.Popen(
        [sys.executable, *program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
    )


def wait_until_running(daemon):
    deadline = time.monotonic() + START_SECONDS
    status = None
    while time.monotonic() < deadline and daemon.poll() is None:
        try:
            status = request("GET", "/api/daemon/status")
            ready = (status["backend_status"] or {}).get("ready", False)
            if status["state"] == "running" and ready:
                return status
            if status["state"] == "error":
                break
        except (OSError, ValueError, KeyError):
            # It does not listen yet, or is not done.
            pass
        time.sleep(0.1)
    raise RuntimeError(f"the daemon did not get ready; its last status: {status}")


def stop(daemon):
    daemon.send_signal(signal.SIGINT)
    try:
        return daemon.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
        return "killed: it did not stop when it was asked to"


def new_beats():
    global told
    noted = Path(BEATS).read_bytes()
    new, told = noted[told:], len(noted)
    return [int.from_bytes(new[place : place + 8], "little") for place in range(0, len(new), 8)]


def serve(daemon):
    """Passes requests on until there are no more."""
    for line in orders:
        if line.strip() == "beats":
            answer({"beats": new_beats()})
            continue
        method, path, *body = line.strip().split(" ", 2)
        try:
            answer(request(method, path, *body))
        except urllib.error.HTTPError as error:
            answer({"error": f"{error}: {error.read().decode(errors='replace')}"})
        except (OSError, ValueError) as error:
            answer({"error": str(error)})
    answer({"exit": stop(daemon)})


def attempt(home):
    """Runs the daemon to its end. Returns what kept it from getting ready, or nothing when it has served."""
    daemon = start(home)
    try:
        status = wait_until_running(daemon)
    except RuntimeError as error:
        return str(error)
    else:
        answer({"state": status["state"], "version": status["version"], "pid": daemon.pid})
        serve(daemon)
        return None
    finally:
        if daemon.poll() is None:
            stop(daemon)


def main():
    with tempfile.TemporaryDirectory() as home:
        for _ in range(STARTS):
            trouble = attempt(home)
            if trouble is None:
                return
        log = Path(home, "log").read_text(errors="replace")
        answer({"error": f"{trouble}\n{log[-2000:]}"})


def answer(value):
    print(json.dumps(value), file=answers, flush=True)


def give_up(*_):
    raise KeyboardInterrupt


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
PORT, HTTP_PORT, BEATS = (*sys.argv[1:], None)[:3]
told = 0
signal.signal(signal.SIGTERM, give_up)
if stat.S_ISSOCK(os.fstat(0).st_mode):
    orders = answers = socket.socket(fileno=0).makefile("rw")
else:
    orders, answers = sys.stdin, sys.stdout
main()
