"""Runs a controller for hours, or a part of one, with all its kinds of clients at once, and watches what must stay flat.

usage: soak.py PROGRAM HOURS RESULT.json [PICTURE.svg]

PROGRAM is `minismith`, which serves the emulated servos. The official SDK streams targets; an app streams others in its
sandbox and is started anew; people ask for motions and for a tool, and stop; tools listen to a microphone and play; a camera
stream is read; pages and MCP sessions come and go; a tool is checked. Meanwhile packets of the bus are spoiled and lost, the disk
is full at times and the system's clock jumps. Memory, threads, open files, the growth of files and the control loop's lateness are
sampled, and judged at the end. Exit code 1 if something grew, an answer was wrong, or the loop was late.
"""

import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import requests
import websockets.sync.client
from disturbances import Disturbances
from reachy_mini import ReachyMini

SUPPORT = Path(__file__).parent
SAMPLE_SECONDS = 5
# The first tenth is not judged: models are loaded and caches filled then.
WARM_UP = 0.1
# What may grow in an hour, by a line through the samples, and the lateness that must hold.
MAX_GROWTH = {"memory_mb": 20.0, "threads": 2.0, "files": 2.0}
MAX_P99_MS = 1.0

LISTEN = '''import time

import numpy as np
from reachy_mini import ReachyMini


def listen(robot: ReachyMini) -> float:
    """Hear how loud the room is for a second, and play a short tone.

    Args:
        robot: The robot.

    Returns:
        The greatest loudness.
    """
    robot.media.start_recording()
    until, loudest = time.monotonic() + 1.0, 0.0
    while time.monotonic() < until:
        sample = robot.media.get_audio_sample()
        if sample is not None:
            loudest = max(loudest, float(np.abs(sample).max()))
        time.sleep(0.02)
    robot.media.stop_recording()
    tone = 0.2 * np.sin(2 * np.pi * 440 * np.arange(3200) / 16000)
    robot.media.push_audio_sample(tone.astype(np.float32))
    return loudest
'''


def size_of(path):
    """The size of a file, bytes; 0 for what is none, or has been deleted since it was listed."""
    try:
        return path.stat().st_size if path.is_file() and not path.is_symlink() else 0
    except FileNotFoundError:
        return 0


class Soak:
    def __init__(self, program, folder, minutes):
        self.folder = folder
        self.minutes = minutes
        self.disturbances = Disturbances(program, folder, minutes)
        self.ends = threading.Event()
        self.counts, self.errors = {}, {}
        self.lock = threading.Lock()
        self.program = program
        self.environment = os.environ | {
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            "ALSA_CONFIG_PATH": str(self.sound()),
        }
        sdk = folder / "sdk/reachy_mini"
        sdk.mkdir(parents=True)
        (sdk / "__init__.py").write_text("")
        repository = Path(program).resolve().parents[2]
        config = {
            "tool_host": {"python": str(repository / ".venv/bin/python")},
            "tools": {"directory": str(folder / "tools")},
            "models": {"directory": str(repository / ".cache/models")},
            "compat": {"app_directory": str(folder / "apps"), "app_sdk": str(folder / "sdk"), "webrtc": "off"},
            "camera": {"source": "scene"},
            "limits": {"unapproved_tool_scale": 1},
        }
        self.config = folder / "config.yaml"
        self.config.write_text(json.dumps(config))
        self.run("app", "install", self.wheel())
        serve = [program, "serve", "--robot", str(folder / "robot"), "--port", "0", "--json", "--config", str(self.config)]
        self.server = subprocess.Popen(
            self.disturbances.command(serve), cwd=folder, env=self.environment | self.disturbances.environment(),
            stdout=subprocess.PIPE, stderr=open(folder / "log.txt", "w"),
        )
        self.address = json.loads(self.server.stdout.readline())["listening"]
        self.url = f"http://{self.address}"
        assert requests.post(f"{self.url}/api/v1/tools", json={"code": LISTEN}, timeout=120).status_code == 201

    def run(self, *arguments):
        command = [self.program, *arguments, "--config", str(self.config)]
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL, timeout=120)

    def wheel(self):
        arguments = [SUPPORT / "apps/wheel.py", "streams", SUPPORT / "apps/streams.py", self.folder]
        return subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True).stdout.strip()

    def sound(self):
        """A microphone that is a pipe, and a speaker that is a file that nobody keeps."""
        pipe = self.folder / "heard"
        os.mkfifo(pipe)
        conf = self.folder / "asound.conf"
        conf.write_text(
            f'pcm.!default {{ type file; slave.pcm {{ type null }}; file "/dev/null"; infile "{pipe}"; format "raw" }}\n'
        )
        return conf

    def sing(self):
        pipe = os.open(self.folder / "heard", os.O_RDWR | os.O_NONBLOCK)
        block = struct.pack("<320h", *(int(9000 * math.sin(0.2 * at)) for at in range(320)))
        while not self.ends.wait(0.02):
            try:
                os.write(pipe, block)
            except BlockingIOError:
                pass

    def count(self, what, is_right=True, why=""):
        with self.lock:
            counts = self.counts.setdefault(what, [0, 0])
            counts[0 if is_right else 1] += 1
            if not is_right:
                self.errors.setdefault(what, str(why)[:300])

    def every(self, seconds, what, act):
        """Repeats something until the end. `act` returns whether it went right, and what was said."""
        def loop():
            while not self.ends.is_set():
                try:
                    self.count(what, *act())
                except Exception as error:  # What a client gets is what is counted.
                    self.count(what, False, repr(error))
                self.ends.wait(seconds)
        return threading.Thread(target=loop, name=what, daemon=True)

    def ask(self, method, path, good=(200,), **more):
        reply = requests.request(method, self.url + path, timeout=60, **more)
        return reply.status_code in good, f"{reply.status_code} {reply.text}"

    def say(self, text):
        # Whoever streams has the robot at times; a refusal that says so is an answer.
        return self.ask("POST", "/api/v1/chat", json={"text": text, "session": "soak"})

    def camera(self):
        with requests.get(f"{self.url}/api/v1/camera/stream?fps=15", stream=True, timeout=60) as reply:
            images, ends = 0, time.monotonic() + 20
            for piece in reply.iter_content(1 << 14):
                images += piece.count(b"\xff\xd8\xff")
                if time.monotonic() > ends or self.ends.is_set():
                    break
        return images > 5 or self.ends.is_set(), f"{images} images in 20 s"

    def page(self):
        with websockets.sync.client.connect(f"ws://{self.address}/api/v1/telemetry", open_timeout=20) as socket:
            for _ in range(20):
                socket.recv(timeout=20)
        return True, ""

    def mcp(self):
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        return self.ask("POST", "/mcp", json=message, headers={"Accept": "application/json, text/event-stream"})

    def app(self):
        right, said = self.ask("POST", "/api/apps/start-app/streams", json={})
        self.ends.wait(10)
        # Somebody may have said "stop", which ends an app, too.
        stopped, also = self.ask("POST", "/api/apps/stop-current-app", (200, 400), json={})
        return right and stopped, said + also

    def steer(self):
        with ReachyMini(port=int(self.address.rsplit(":", 1)[1]), connection_mode="localhost_only", media_backend="no_media") as robot:
            ends = time.monotonic() + 30
            while time.monotonic() < ends and not self.ends.is_set():
                robot.set_target(antennas=[0.3 * math.sin(time.monotonic()), 0.2])
                robot.get_current_joint_positions()
                time.sleep(0.02)
        return True, ""

    def sample(self, began):
        process = Path(f"/proc/{self.server.pid}")
        status = dict(re.findall(r"(\w+):\s+(\d+)", (process / "status").read_text()))
        metrics = dict(re.findall(r"^(minismith_control_\S+) (\S+)$", requests.get(f"{self.url}/metrics", timeout=20).text, re.M))
        late = lambda share: 1e3 * float(metrics[f'minismith_control_jitter_seconds{{quantile="{share}"}}'])
        return {
            "minutes": (time.monotonic() - began) / 60,
            "memory_mb": int(status["VmRSS"]) / 1024,
            "threads": int(status["Threads"]),
            "files": len(list((process / "fd").iterdir())),
            "stored_mb": sum(map(size_of, [*self.folder.rglob("*"), *self.disturbances.data().rglob("*")])) / 1e6,
            "late_p99_ms": late("0.99"),
            "late_p999_ms": late("0.999"),
            "late_max_ms": late("1"),
            "cycles": int(metrics["minismith_control_cycles_total"]),
        }

    def watch(self):
        ask, say, minutes = self.ask, self.say, self.minutes
        check = {"code": LISTEN.replace("listen(", "check_me(").replace("def listen", "def check_me")}
        clients = [
            threading.Thread(target=self.sing, daemon=True),
            self.every(1, "targets of the official SDK, 30 s", self.steer),
            self.every(5, "an app, 10 s", self.app),
            self.every(2, "nod", lambda: say("nod twice")),
            self.every(3, "look", lambda: say("look left 20 degrees, then wiggle your antennas")),
            self.every(7, "stop", lambda: say("stop")),
            self.every(6, "a tool that listens and plays", lambda: ask("POST", "/api/v1/tools/listen/run", (200, 409), json={"args": {}})),
            self.every(11, "check of a tool", lambda: ask("POST", "/api/v1/tools/check", json=check)),
            self.every(40, "a new tool", lambda: say("make a tool called soak_wave that waves the left antenna three times")),
            self.every(1, "camera stream, 20 s", self.camera),
            self.every(1, "page", self.page),
            self.every(0.5, "MCP session", self.mcp),
            self.every(0.2, "state", lambda: ask("GET", "/api/v1/state")),
            self.every(3, "sound", lambda: ask("POST", "/api/volume/test-sound")),
            self.every(2, "hostile", lambda: ask("POST", "/api/v1/chat", (400, 422), data="{" * 1000, headers={"Content-Type": "application/json"})),
        ]
        for client in clients:
            client.start()
        self.disturbances.start()
        began, samples = time.monotonic(), []
        while (passed := (time.monotonic() - began) / 60) < minutes and self.server.poll() is None:
            samples.append(self.sample(began))
            if len(samples) % 12 == 0:
                print(f"{passed:.0f} of {minutes:g} minutes: {json.dumps(samples[-1])}", file=sys.stderr, flush=True)
            time.sleep(SAMPLE_SECONDS)
        self.disturbances.stop()
        self.ends.set()
        for client in clients:
            client.join(90)
        died = self.server.poll()
        self.server.terminate()
        code = self.server.wait(60)
        journal = self.disturbances.data() / "minismith/journal.jsonl"
        lines = journal.read_text().splitlines() if journal.exists() else []
        # A line that is no JSON ends the run here.
        entries = sum(1 for line in lines if json.loads(line))
        self.disturbances.close()
        return {
            "samples": samples,
            "clients": self.counts,
            "errors": self.errors,
            "disturbances": self.disturbances.counts,
            "left_out": self.disturbances.left_out,
            "full_disk_reports": (self.folder / "log.txt").read_text().count("can't be written"),
            "journal_entries": entries,
            "exit_code": code if died is None else f"died: {died}",
        }


def growth(samples, key):
    """The slope of a line through the samples after the warm-up, per hour."""
    samples = samples[int(len(samples) * WARM_UP):]
    times = [sample["minutes"] / 60 for sample in samples]
    values = [sample[key] for sample in samples]
    mean_t, mean_v = sum(times) / len(times), sum(values) / len(values)
    spread = sum((time - mean_t) ** 2 for time in times)
    return sum((time - mean_t) * (value - mean_v) for time, value in zip(times, values)) / spread if spread else 0.0


def judged(result):
    samples = result["samples"]
    failures = []
    # In less than an hour a line is steeper by chance; so the growth within the run counts.
    hours = max(samples[-1]["minutes"] / 60, 1e-9)
    for key, most in MAX_GROWTH.items():
        grown = growth(samples, key) * min(hours, 1.0)
        result[f"growth_{key}"] = grown
        if grown > most:
            failures.append(f"{key} grew by {grown:.1f} in the run")
    if samples[-1]["late_p99_ms"] > MAX_P99_MS:
        failures.append(f"99 of 100 control cycles are within {samples[-1]['late_p99_ms']:.2f} ms")
    failures += [f"{what}: {bad} of {good + bad} failed ({result['errors'][what]})" for what, (good, bad) in result["clients"].items() if bad]
    if result["exit_code"] != 0:
        failures.append(f"the server ended with {result['exit_code']}")
    return failures


def picture(samples, path):
    """Four curves over the minutes, as SVG."""
    curves = [("memory_mb", "resident memory, MB"), ("threads", "threads"), ("files", "open files"), ("late_p99_ms", "lateness of a cycle, 99 of 100, ms")]
    width, height, left = 640, 110, 60
    parts = []
    end = samples[-1]["minutes"] or 1
    for row, (key, title) in enumerate(curves):
        top = 30 + row * (height + 40)
        most = max(sample[key] for sample in samples) * 1.1 or 1
        at = lambda sample: f"{left + width * sample['minutes'] / end:.1f},{top + height * (1 - sample[key] / most):.1f}"
        parts.append(f'<text x="{left}" y="{top - 8}">{title}</text>')
        parts.append(f'<path d="M{left} {top}v{height}h{width}" fill="none" stroke="#888"/>')
        parts.append(f'<polyline fill="none" stroke="#2266cc" stroke-width="1.5" points="{" ".join(map(at, samples))}"/>')
        parts.append(f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{most:.3g}</text><text x="{left - 6}" y="{top + height}" text-anchor="end">0</text>')
    bottom = 30 + len(curves) * (height + 40)
    parts.append(f'<text x="{left + width}" y="{bottom - 22}" text-anchor="end">{end:.0f} minutes</text>')
    Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {bottom}" font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def main(program, hours, result_path, picture_path=None):
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        result = Soak(str(Path(program).resolve()), Path(folder), 60 * float(hours)).watch()
    failures = judged(result)
    result["failures"] = failures
    Path(result_path).write_text(json.dumps(result, indent=1) + "\n")
    if picture_path:
        picture(result["samples"], picture_path)
    first, last = result["samples"][0], result["samples"][-1]
    print(json.dumps({"first": first, "last": last, "clients": result["clients"], "disturbances": result["disturbances"], "failures": failures}, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
