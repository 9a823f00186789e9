"""Runs in a clean root below systemd, and tries the service of the package there: it starts, works, hangs, and stops.

usage: service_trial.py RESULT.json

The servos are emulated; `minismith scan` reads them without the service. What does not hold is an exception, and its text is the
result.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

SERVICE = "minismith.service"
LINE = "/srv/servos/line"
# The unit's watchdog and its patience after that, with room for a busy computer.
HANG_SECONDS = 60
CHECKED = '''from reachy_mini import ReachyMini


def greet_once(robot: ReachyMini) -> None:
    """Nod once.

    Args:
        robot: The robot.
    """
    robot.goto_target(antennas=[0.2, -0.2], duration=0.5)
'''


def systemctl(*arguments):
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"systemctl {' '.join(arguments)}: {done.stderr.strip()}"
    return done.stdout.strip()


def property_of(name):
    return systemctl("show", "--property", name, "--value", SERVICE)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:8000{path}", data, {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request, timeout=60))
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{path}: {error} {error.read().decode()}") from None


def until(holds, what):
    ends = time.monotonic() + HANG_SECONDS
    while not holds():
        assert time.monotonic() < ends, f"not within {HANG_SECONDS} s: {what}"
        time.sleep(0.2)


def torque():
    """How many servos have torque, while nobody else holds the line."""
    scan = subprocess.run(["minismith", "scan", LINE, "--json"], capture_output=True, text=True, timeout=60, check=True)
    motors = json.loads(scan.stdout)["motors"]
    assert len(motors) == 9, scan.stdout
    return sum(motor["torque"] for motor in motors)


def moves():
    answer = ask("/api/v1/chat", {"text": "look left 20 degrees", "session": "trial"})
    assert answer["outcome"] == "done", answer


def hang():
    """Stops every thread of the service, as a deadlock would."""
    main = int(property_of("MainPID"))
    os.kill(main, signal.SIGSTOP)
    return main


def trial():
    subprocess.run(["systemd-tmpfiles", "--create", "minismith.conf"], check=True)
    pathlib.Path(LINE).parent.mkdir()
    os.chmod(pathlib.Path(LINE).parent, 0o777)
    servos = subprocess.Popen(["runuser", "-u", "minismith", "--", "minismith", "mock", "--link", LINE], stdout=subprocess.DEVNULL)
    until(lambda: os.path.exists(LINE), "the emulated servos")
    found = {}
    began = time.monotonic()
    # Returns when the service says that it is ready.
    systemctl("start", SERVICE)
    found["seconds_until_ready"] = time.monotonic() - began
    assert ask("/health")["status"] == "ok"
    client = socket.socket(socket.AF_UNIX)
    client.connect("/tmp/reachymini_camera_socket")
    assert client.recv(4096)[:4] == (2).to_bytes(4, sys.byteorder), "no format of camera frames"
    moves()
    # A tool is rehearsed in the sandbox, below everything that the unit forbids.
    checked = ask("/api/v1/tools/check", {"code": CHECKED})
    assert checked["admitted"], checked
    found["exposure"] = float(subprocess.run(
        ["systemd-analyze", "security", "--no-pager", SERVICE], capture_output=True, text=True, check=True,
    ).stdout.strip().splitlines()[-1].split(":")[1].split()[0])

    # Hung, it is killed; the robot is laid down and released; and it starts again.
    main = hang()
    began = time.monotonic()
    until(lambda: int(property_of("NRestarts")) == 1 and property_of("ActiveState") == "active", "a restart after a hang")
    found["seconds_from_hang_to_ready"] = time.monotonic() - began
    assert int(property_of("MainPID")) != main
    moves()

    # The same without a restart, to see in which state the robot is left.
    pathlib.Path(f"/run/systemd/system/{SERVICE}.d").mkdir(parents=True)
    pathlib.Path(f"/run/systemd/system/{SERVICE}.d/once.conf").write_text("[Service]\nRestart=no\n")
    systemctl("daemon-reload")
    hang()
    until(lambda: property_of("ActiveState") == "failed", "an end after a hang")
    found["result_of_hang"] = property_of("Result")
    found["torque_after_hang"] = torque()

    systemctl("reset-failed", SERVICE)
    systemctl("start", SERVICE)
    moves()
    systemctl("stop", SERVICE)
    found["result_of_stop"] = property_of("Result")
    found["torque_after_stop"] = torque()
    servos.terminate()
    return found


try:
    result = trial()
except BaseException as error:
    result = {"failed": f"{type(error).__name__}: {error}"}
pathlib.Path(sys.argv[1]).write_text(json.dumps(result))
