"""What disturbs a controller in a long run: faults of the bus, a full disk, and a system clock that jumps.

Each is real to the controller: the emulated servos spoil and lose packets, its data lies on a small file system that fills up,
and its system clock is set forward and back while the others go on.
"""

import errno
import json
import os
import struct
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

SUPPORT = Path(__file__).parent
DISK_MB = 256
# A day forward, back to before the start, and right again, seconds.
CLOCK_STEPS = (86_400, -3_600, 0)
# Every minute: spoiled packets, lost ones, and a bus that is silent for less time than makes the controller give up.
BUS_FAULTS = (
    {"at": 10, "for": 5, "fault": "corrupt", "rate": 0.01},
    {"at": 25, "for": 5, "fault": "silent", "rate": 0.01},
    {"at": 40, "for": 0.05, "fault": "silent"},
)


class Disturbances:
    def __init__(self, program, folder, minutes):
        self.folder = folder
        self.minutes = minutes
        self.counts = Counter()
        self.left_out = []
        self.ends = threading.Event()
        self.holder = None
        # In a user namespace, root could not give the control loop its real-time priority.
        self.is_root = os.geteuid() == 0
        self.bus = self.serve_bus(program)
        self.small_disk()
        self.offset = folder / "clock-offset"
        self.step(0)

    def serve_bus(self, program):
        """The emulated servos, with their faults for the whole run. The link to their line is `robot`."""
        faults = [
            fault | {"at": 60 * minute + fault["at"]} for minute in range(int(self.minutes) + 1) for fault in BUS_FAULTS
        ]
        self.counts["faults of the bus"] = sum(fault["at"] < 60 * self.minutes for fault in faults)
        schedule = self.folder / "faults.yaml"
        schedule.write_text(json.dumps({"schedule": faults}))
        command = [program, "mock", "--link", self.folder / "robot", "--faults", schedule]
        bus = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        bus.stdout.readline()
        return bus

    def small_disk(self):
        """Puts the data on a small file system that only the controller sees."""
        data = self.folder / "data"
        data.mkdir()
        script = 'mount -t tmpfs -o "size=$0m" none "$1" && echo ready && exec sleep infinity'
        as_root = [] if self.is_root else ["--user", "--map-root-user"]
        command = ["unshare", *as_root, "--mount", "sh", "-c", script, str(DISK_MB), data]
        holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if holder.stdout.readline() == "ready\n":
            self.holder = holder
        else:
            self.left_out.append("full disk: no file system can be mounted here")

    def data(self):
        """Where the controller's data is for others."""
        root = Path(f"/proc/{self.holder.pid}/root") if self.holder else Path("/")
        return root / str(self.folder / "data").lstrip("/")

    def command(self, arguments):
        """The command that runs a program where the small file system is."""
        if not self.holder:
            return arguments
        as_root = [] if self.is_root else ["--user", "--preserve-credentials"]
        enter = ["nsenter", "--target", str(self.holder.pid), *as_root, "--mount"]
        return [*enter, "sh", "-c", 'cd "$0" && exec "$@"', str(self.folder), *arguments]

    def environment(self):
        """The variables with which a program's clock jumps."""
        library = self.folder / "clock_offset.so"
        try:
            compiler = ["cc", "-shared", "-fPIC", "-O2", "-o", library, SUPPORT / "clock_offset.c", "-ldl"]
            subprocess.run(compiler, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.left_out.append("jumps of the clock: no C compiler here")
            return {}
        return {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(self.offset)}

    def step(self, seconds):
        # In place: the controller has this file mapped.
        with open(self.offset, "r+b" if self.offset.exists() else "wb") as file:
            file.write(struct.pack("<q", seconds))

    def fill_disk(self, seconds):
        hog = self.data() / "hog"
        with open(hog, "wb", buffering=0) as file:
            ends = time.monotonic() + seconds
            while time.monotonic() < ends and not self.ends.is_set():
                try:
                    file.write(bytes(1 << 16))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    self.ends.wait(0.1)
        hog.unlink()

    def start(self):
        """Fills the disk and sets the clock, by turns, until `stop`."""
        pause = min(100.0, 60 * self.minutes / 6)

        def loop():
            at = 0
            while not self.ends.wait(pause):
                if at % 2 and self.holder:
                    self.counts["times that the disk was full"] += 1
                    self.fill_disk(min(15.0, pause / 2))
                else:
                    self.counts["jumps of the clock"] += 1
                    self.step(CLOCK_STEPS[at // 2 % len(CLOCK_STEPS)])
                at += 1

        self.thread = threading.Thread(target=loop)
        self.thread.start()

    def stop(self):
        self.ends.set()
        self.thread.join()

    def close(self):
        for process in (self.bus, self.holder):
            if process:
                process.terminate()
                process.wait()
