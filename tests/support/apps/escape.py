"""An app that tries to leave its sandbox. Prints one JSON document: what each attempt got, or the error that it met."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROBOT = "http://127.0.0.1:8000"
got = {}


def attempt(name):
    def run(function):
        try:
            got[name] = {"got": function()}
        except BaseException as error:
            got[name] = {"error": f"{type(error).__name__}: {error}"}
        return function

    return run


def ask(path, body=None, headers=()):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(ROBOT + path, data, {"Content-Type": "application/json", **dict(headers)})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return [response.status, json.load(response)]
    except urllib.error.HTTPError as error:
        return [error.code, json.load(error)]


# What it may do.
attempt("status")(lambda: ask("/api/daemon/status")[0])
attempt("own_file")(lambda: open("note", "w").write("mine"))
attempt("move")(lambda: ask("/api/move/goto", {"antennas": [0.3, -0.3], "duration": 0.3})[0])
time.sleep(1)

# Files.
for name, path in {"passwd": "/etc/passwd", "host_home": sys.argv[0] and os.environ["HOME"] + "/../app.json",
                   "config": "/config.yaml"}.items():
    attempt(f"read_{name}")(lambda path=path: open(path).read(20))
attempt("list_root")(lambda: sorted(os.listdir("/")))
attempt("list_apps")(lambda: sorted(os.listdir(os.path.dirname(os.path.dirname(os.environ["HOME"])))))
for name, path in {"usr": "/usr/evil", "root": "/evil", "venv": os.path.join(os.environ["HOME"], "../venv/evil"),
                   "etc": "/etc/evil"}.items():
    attempt(f"write_{name}")(lambda path=path: open(path, "w").write("x"))
attempt("devices")(lambda: sorted(os.listdir("/dev")))
attempt("big_file")(lambda: os.truncate("note", 1 << 40))

# The network.
attempt("other_port")(lambda: socket.create_connection(("127.0.0.1", int(open("port").read())), 2) and "connected")
attempt("outside")(lambda: socket.create_connection(("1.1.1.1", 53), 2) and "connected")
attempt("names")(lambda: socket.getaddrinfo("example.org", 80))
attempt("interfaces")(lambda: [name for _, name in socket.if_nameindex()])
attempt("netlink")(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) and "made")
attempt("packets")(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW) and "made")
attempt("abstract")(lambda: socket.socket(socket.AF_UNIX).connect("\0/tmp/.X11-unix/X0") or "connected")

# Processes and the kernel.
attempt("processes")(lambda: sorted(int(name) for name in os.listdir("/proc") if name.isdigit()))
attempt("kill_all")(lambda: os.kill(int(open("pid").read()), signal.SIGKILL))
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "done"


attempt("mount")(lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("unshare")(lambda: call("unshare", 0x10000000))
attempt("chroot")(lambda: os.chroot("/tmp"))
attempt("hostname")(lambda: call("sethostname", b"evil", 4))
attempt("clock")(lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
attempt("priority")(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
attempt("nice")(lambda: os.setpriority(os.PRIO_PROCESS, 0, -5))
attempt("memory")(lambda: len(bytearray(64 << 30)))
attempt("child")(lambda: subprocess.run(["/bin/sh", "-c", "cat /etc/passwd; id -u"], capture_output=True, text=True).stdout)
attempt("setuid")(lambda: subprocess.run(["/usr/bin/su", "-c", "true"], capture_output=True, text=True, stdin=subprocess.DEVNULL).returncode)

# The robot: more than the official API, more than an operator, and motors past their limits.
attempt("own_api")(lambda: ask("/api/v1/chat", {"text": "nod"}))
attempt("tools")(lambda: ask("/api/v1/tools", {"source": "x"}))
attempt("mcp")(lambda: ask("/mcp", {}))
attempt("page")(lambda: ask("/api/v1/journal"))
attempt("install")(lambda: ask("/api/apps/install", {"name": "x", "source_kind": "local", "extra": {"path": "/usr"}}))
attempt("start_other")(lambda: ask("/api/apps/start-app/other", {}))
attempt("torque")(lambda: ask("/api/motors/set_mode/disabled", {}))
attempt("token")(lambda: ask("/api/v1/state", None, {"Authorization": "Bearer minismith_x"}))
attempt("far")(lambda: ask("/api/move/goto", {"antennas": [50.0, 50.0], "duration": 0.2}))
attempt("nan")(lambda: ask("/api/move/set_target", {"target_antennas": [float("nan"), 0]}))

print("RESULT " + json.dumps(got), flush=True)
while True:
    time.sleep(1)
