"""Measures what the size of the data costs: tools in the registry, entries in the journal, and clients.

usage: growth.py PROGRAM RESULT.json [PICTURE.svg] [--small]

PROGRAM is `minismith`, which serves a simulated robot for each size. The times are medians; the exponent of a row is the slope
of a line through its last points on logarithmic axes. 1 is linear, 0 is flat. Exit code 1 if a row grows worse than n log n. With
`--small`, the largest sizes are left out.
"""

import hashlib
import json
import math
import os
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zlib
from pathlib import Path

TOOLS = [10, 100, 1_000, 10_000]
ENTRIES = [1_000, 10_000, 100_000, 1_000_000]
CLIENTS = [1, 3, 10, 30, 100]
ROUNDS = 5
STREAM_HZ = 50
# n log n from 1,000 to 10,000 is n to the power of 1.12; the rest is for what else the machine does.
MAX_EXPONENT = 1.3
PREDEFINED = Path(__file__).parents[2] / "tools/predefined"
PARTS = ["hop", "glance", "sway", "bow", "ripple", "shrug", "peek", "twirl", "dip", "lean"]


def write_tools(folder, count):
    """Writes copies of a predefined tool under other names, as the registry stores generated tools."""
    source = (PREDEFINED / "greet/v1.py").read_text()
    manifest = json.loads((PREDEFINED / "greet/v1.json").read_text())
    state = json.loads((PREDEFINED / "greet/state.json").read_text())
    for number in range(count):
        digits = f"{number:05d}"
        name = "_".join(PARTS[int(digit)] for digit in digits)
        place = folder / "generated" / name
        place.mkdir(parents=True, mode=0o700)
        code = source.replace("def greet(", f"def {name}(").replace("greeted with", f"{name} with")
        words = ", ".join(PARTS[int(digit)] for digit in digits)
        own = {**manifest, "name": name, "description": f"Greet with a {words}."}
        own["code_sha256"] = hashlib.sha256(code.encode()).hexdigest()
        text = json.dumps(own, indent=2)
        (place / "v1.py").write_text(code)
        (place / "v1.json").write_text(text)
        (place / "v1.sha256").write_text(hashlib.sha256(text.encode()).hexdigest() + "\n")
        (place / "state.json").write_text(json.dumps(state))


def write_journal(path, count):
    with open(path, "w") as journal:
        for number in range(count):
            entry = {
                "at": f"2026-11-{1 + number * 20 // count:02d}T10:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
                "kind": "http_request", "actor": "this machine", "role": "owner", "peer": "127.0.0.1", "action": "GET /api/v1/state",
                "outcome": "200", "duration_ms": 0.4, "id": f"{number:08x}-0b54-4a5f-9a37-2f1f6c0f0e11",
                "process_id": "0f3a2b1c4d5e", "seq": number,
            }
            body = json.dumps(entry, separators=(",", ":"))[:-1]
            journal.write(f'{body},"crc":"{zlib.crc32(body.encode()):08x}"}}\n')
    path.chmod(0o600)


class Server:
    """A server with data of its own."""

    def __init__(self, program, folder):
        self.folder = folder
        (folder / "tools").mkdir(parents=True, exist_ok=True)
        keys = f"""
tool_host: {{python: {sys.executable}}}
server: {{token_file: {folder}/tokens.json, mdns: false, max_connections: 1000}}
compat: {{camera_socket: none, webrtc: "off", app_directory: {folder}/apps}}
tools: {{directory: {folder}/tools, predefined: directory}}
models: {{directory: {folder}/models}}
memory: {{file: {folder}/sessions.sqlite}}
journal: {{file: {folder}/journal.jsonl, max_file_mb: 1024}}
traces: {{directory: none}}
logs: {{file: none}}
"""
        (folder / "config.yaml").write_text(keys)
        self.command = [str(program), "serve", "--config", str(folder / "config.yaml"), "--robot", "mock", "--json", "--port", "0"]

    def __enter__(self):
        began = time.perf_counter()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = json.loads(self.process.stdout.readline())["listening"]
        self.get("/api/v1/state")
        self.start_ms = 1e3 * (time.perf_counter() - began)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=120) as answer:
            return answer.read()

    def median_ms(self, path, rounds=ROUNDS):
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            self.get(path)
            times.append(1e3 * (time.perf_counter() - began))
        return statistics.median(times)

    def cpu_s(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def with_tools(program, folder, count):
    write_tools(folder / "tools", count)
    with Server(program, folder) as server:
        listed = json.loads(server.get("/api/v1/tools"))
        assert len(listed["tools"]) == count, f"{len(listed['tools'])} of {count} tools"
        began = time.perf_counter()
        server.get("/api/v1/tools/search?text=greet")
        row = {"start_ms": server.start_ms, "first_search_ms": 1e3 * (time.perf_counter() - began)}
        # Files that have just been written are read again each time.
        time.sleep(3)
        server.get("/api/v1/tools")
        row["list_ms"] = server.median_ms("/api/v1/tools")
        row["search_ms"] = server.median_ms("/api/v1/tools/search?text=greet%20with%20a%20hop")
        row["state_ms"] = server.median_ms("/api/v1/state", 100)
        row["memory_mb"] = server.memory_mb()
    return row


def with_entries(program, folder, count):
    server = Server(program, folder)
    write_journal(folder / "journal.jsonl", count)
    with server:
        newest = server.median_ms("/api/v1/journal?limit=100")
        cursor = json.loads(server.get("/api/v1/journal?limit=100"))["next"]
        return {
            "start_ms": server.start_ms,
            "newest_ms": newest,
            "older_ms": server.median_ms(f"/api/v1/journal?limit=100&before={cursor}"),
            "text_ms": server.median_ms("/api/v1/journal?limit=100&text=never%20said"),
            "state_ms": server.median_ms("/api/v1/state", 100),
            "memory_mb": server.memory_mb(),
        }


class Streams:
    """Clients that each read the state 50 times per second over a WebSocket."""

    def __init__(self, address, count):
        host, port = address.rsplit(":", 1)
        self.reads, self.messages, self.ends = selectors.DefaultSelector(), 0, False
        request = (
            f"GET /api/state/ws/full?frequency={STREAM_HZ} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        for _ in range(count):
            stream = socket.create_connection((host, int(port)))
            stream.sendall(request.encode())
            self.reads.register(stream, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.drain)
        self.thread.start()

    def drain(self):
        while not self.ends:
            for key, _ in self.reads.select(0.1):
                # The messages are small, so most reads return one.
                self.messages += len(key.fileobj.recv(1 << 16)) > 0
            # What waits meanwhile is read at once.
            time.sleep(0.002)

    def close(self):
        self.ends = True
        self.thread.join()
        for key in list(self.reads.get_map().values()):
            key.fileobj.close()


def with_clients(program, folder, count):
    with Server(program, folder) as server:
        streams = Streams(server.address, count)
        time.sleep(1)
        began, before, messages = time.perf_counter(), server.cpu_s(), streams.messages
        answer_ms = server.median_ms("/api/v1/state", 300)
        time.sleep(2)
        passed = time.perf_counter() - began
        row = {
            "state_ms": answer_ms,
            "cpu_percent": 100 * (server.cpu_s() - before) / passed,
            "messages_per_s": (streams.messages - messages) / passed,
            "memory_mb": server.memory_mb(),
        }
        streams.close()
        return row


def exponent(sizes, values):
    """The slope on logarithmic axes of a line through the last three points."""
    points = [(math.log(size), math.log(max(value, 1e-9))) for size, value in zip(sizes, values)][-3:]
    mean_x, mean_y = (sum(axis) / len(points) for axis in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def picture(results, path):
    """One panel for each kind of size, both axes logarithmic, as SVG."""
    colours = ["#2266cc", "#cc5522", "#228844", "#883399", "#997700", "#555555"]
    width, height, parts = 300, 220, []
    for panel, (kind, result) in enumerate(results.items()):
        left, top = 60 + panel * (width + 90), 40
        values = [value for row in result["rows"].values() for value in row]
        low, high = (fit(math.log10(max(edge(values), 1e-3))) for fit, edge in ((math.floor, min), (math.ceil, max)))
        first, last = math.log10(result["sizes"][0]), math.log10(result["sizes"][-1])
        x = lambda size: left + width * (math.log10(size) - first) / (last - first)
        y = lambda value: top + height * (1 - (math.log10(max(value, 1e-3)) - low) / (high - low))
        parts.append(f'<text x="{left}" y="{top - 16}" font-weight="bold">{kind}</text>')
        for power in range(low, high + 1):
            parts.append(f'<path d="M{left} {y(10**power):.1f}h{width}" stroke="#ddd"/><text x="{left - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
        for size in result["sizes"]:
            parts.append(f'<text x="{x(size):.1f}" y="{top + height + 18}" text-anchor="middle">{size:,}</text>')
        for line, (name, row) in enumerate(result["rows"].items()):
            points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in zip(result["sizes"], row))
            parts.append(f'<polyline fill="none" stroke="{colours[line]}" stroke-width="2" points="{points}"/>')
            parts.append(f'<text x="{left}" y="{top + height + 42 + 18 * line}" fill="{colours[line]}">{name}: exponent {result["exponents"][name]:.2f}</text>')
    parts = "".join(parts)
    Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {60 + len(results) * (width + 90)} {height + 190}" font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="#fff"/>{parts}</svg>\n'
    )


def main(program, result_path, picture_path=None, small=False):
    results, failures = {}, []
    for kind, sizes, measure in (("tools", TOOLS, with_tools), ("journal entries", ENTRIES, with_entries), ("clients", CLIENTS, with_clients)):
        sizes = sizes[:-1] if small else sizes
        rows = {}
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="growth-") as folder:
                measured = measure(Path(program).resolve(), Path(folder), size)
            print(f"{size} {kind}: {json.dumps({name: round(value, 2) for name, value in measured.items()})}", flush=True)
            for name, value in measured.items():
                rows.setdefault(name, []).append(value)
        exponents = {name: exponent(sizes, row) for name, row in rows.items()}
        results[kind] = {"sizes": sizes, "rows": rows, "exponents": exponents}
        failures += [f"{name} grows with {kind} to the power of {power:.2f}" for name, power in exponents.items() if power > MAX_EXPONENT]
    Path(result_path).write_text(json.dumps({"results": results, "failures": failures}, indent=1) + "\n")
    if picture_path:
        picture(results, picture_path)
    print("\n".join(failures) or "nothing grows worse than n log n")
    return 1 if failures else 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--small"]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*arguments, small="--small" in sys.argv))
