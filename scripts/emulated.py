"""Runs the programs for aarch64 on an x86-64 computer, and compares what they do with what those for x86-64 do.

Usage: emulated.py PROGRAMS                     PROGRAMS is the folder that scripts/dist writes: target/dist
       emulated.py --user PROGRAMS AARCH64      by qemu-user alone, with the folders of the two programs for x86-64 and those
                                                for aarch64 (the latter for Python 3.13)

Twice, with what Debian 13 has (glibc 2.41, Python 3.13), as on the robot's own computer:
* by qemu-user: each program on this computer's kernel. Its own thread is in each process, and it has no seccomp, so tools
  must be refused there.
* by qemu-system: Debian 13's kernel boots with the programs. There the sandbox is real.

Nothing of this needs root. `scripts/cross --emulator` brings qemu and Debian 13 first.
"""

import base64
import contextlib
import hashlib
import http.client
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CROSS = ROOT / ".cache" / "cross"
CACHE = ROOT / ".cache" / "emulated"
QEMU = CROSS / "bin" / "qemu-aarch64"
TOOL = ROOT / "tools" / "sources" / "machine_dance.py"
SENTENCES = [
    "nod",
    "tilt your head 10 degrees to the left, then look up",
    "turn your body to the right and wave",
    "nod three times, then shake your head slowly",
]
FACE = "what do you see?"
SEARCH = "something cheerful"
COSTS = ("cpu_s", "peak_memory_bytes", "wall_s")
# The robot's processor, and what Linux says of one of its cores.
PROCESSOR = "cortex-a72"
CORE = """processor\t: {}
BogoMIPS\t: 108.00
Features\t: fp asimd evtstrm crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd08
CPU revision\t: 3

"""
# What is run to see what an idle server costs, and for how long.
IDLE = ["idle"]
IDLE_SECONDS = 20
# One instruction takes a nanosecond of the emulated computer's time, with those of the kernel. A Cortex-A72 at 1.5 GHz is faster
# in most code: it does 1 to 1.5 instructions per cycle.
INSTRUCTION_TIME = ["-icount", "shift=0,sleep=on"]
# What a run may take under qemu, in seconds.
PATIENCE = 900


class Problem(Exception):
    """Something is missing or wrong; the text says what."""


# What runs.


class Run:
    """A finished run of a program."""

    def __init__(self, code: int, output: str, errors: str, seconds: float, resident: "float | None") -> None:
        self.code, self.output, self.errors = code, output, errors
        self.seconds, self.resident = seconds, resident

    def document(self) -> dict:
        if self.code not in (0, 1):
            raise Problem(f"exit code {self.code}: {self.errors.strip()[-600:] or self.output[-600:]}")
        return json.loads(self.output)


def measured(command: list, environment: dict, folder: Path, user: "int | None" = None) -> Run:
    """Runs a program here. The memory is the largest that it held at a time, with that of an emulator."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        child = subprocess.Popen(command, env=environment, cwd=folder, user=user, group=user,
                                 extra_groups=None if user is None else [],
                                 stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return Run(child.returncode, texts[0], texts[1], seconds, usage.ru_maxrss / 1024)


def files(home: Path) -> dict:
    """The traces of what was said, in their order, and of what was replayed."""
    said = sorted((home / ".local/share/minismith/traces").glob("*.trace.jsonl"))
    return {
        "said": [file.read_text() for file in said],
        "replayed": [file.read_text() for file in sorted(home.glob("again-*.jsonl"))],
    }


class Local:
    """Programs on this computer's kernel, each in a home of its own."""

    def __init__(self, name: str, programs: Path, prefix: list, environment: dict, models: Path) -> None:
        self.name, self.programs, self.prefix = name, programs, prefix
        self.folder = Path(tempfile.mkdtemp(prefix=f"minismith-{name}-"))
        (self.folder / "config.yaml").write_text(f"models: {{directory: {models}}}\n")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LANG": "C.UTF-8", **environment}

    def run(self, *arguments: str) -> Run:
        command = [*self.prefix, str(self.programs / "minismith"), *arguments]
        return measured(command, self.environment, self.folder)

    def runs(self, runs: list) -> "tuple[list, dict]":
        """Runs everything, and returns the runs and the traces that they wrote."""
        return [self.run(*arguments) for arguments in runs], files(self.folder)


# What aarch64 needs beside the programs.


def fetched(requirement: str, python: str) -> Path:
    """A package for aarch64, of the index of Python, in a folder that is kept."""
    wheels = CACHE / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    name, _, version = requirement.partition("==")
    found = list(wheels.glob(f"{name}-{version}-*aarch64.whl"))
    if not found:
        platforms = ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--only-binary", ":all:", "--python-version", python, "--dest", str(wheels), requirement]
        command += [argument for platform in platforms for argument in ("--platform", platform)]
        subprocess.run(command, check=True)
        found = list(wheels.glob(f"{name}-{version}-*aarch64.whl"))
    if len(found) != 1:
        raise Problem(f"{requirement} for aarch64 cannot be had; see what {' '.join(map(str, found))} is")
    return found[0]


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def python_environment() -> Path:
    """A virtual environment of Debian 13's Python for aarch64, with numpy as it is pinned."""
    place = CACHE / "venv"
    if not (place / "ready").exists():
        text = (ROOT / "requirements" / "tools.txt").read_text()
        requirement = re.search(r"^(numpy==\S+)", text, re.M)[1]
        wheel = fetched(requirement, "3.13")
        if f"sha256:{digest(wheel)}" not in text:
            raise Problem(f"{wheel} is not what requirements/tools.txt pins; delete it and repeat")
        shutil.rmtree(place, ignore_errors=True)
        packages = place / "lib" / "python3.13" / "site-packages"
        packages.mkdir(parents=True)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
        (place / "bin").mkdir()
        # A copy: a link would lead to this computer's Python.
        shutil.copy2(CROSS / "robot/usr/bin/python3.13", place / "bin/python")
        (place / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.13\n")
        (place / "ready").touch()
    return place


def model_folder() -> Path:
    """The models, with the runtime for aarch64."""
    place = CACHE / "models"
    models = ROOT / ".cache" / "models"
    if not (models / "face_detection_yunet.onnx").exists():
        raise Problem("the models are missing; run `make models`")
    place.mkdir(parents=True, exist_ok=True)
    for file in models.iterdir():
        if not file.name.startswith((".", "libonnxruntime")) and not (place / file.name).exists():
            (shutil.copytree if file.is_dir() else shutil.copy2)(file, place / file.name)
    for line in (ROOT / "requirements" / "models.txt").read_text().splitlines():
        if line.startswith("libonnxruntime.so aarch64 "):
            _, _, wanted, package, inside, *_ = line.split()
            library = place / "libonnxruntime.so"
            if not library.exists() or digest(library) != wanted:
                with zipfile.ZipFile(fetched(package, "3.13")) as archive:
                    library.write_bytes(archive.read(inside))
            if digest(library) != wanted:
                raise Problem(f"{library} is not what requirements/models.txt pins")
    return place


def native(programs: Path, released: bool) -> Local:
    """The programs for x86-64, with the Python of .venv. Those of a release lie in a folder for each release of Debian."""
    python = ROOT / ".venv" / "bin" / "python"
    question = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2], sysconfig.get_config_var('LIBDIR'))"
    version, libraries = subprocess.run([python, "-c", question], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    releases = {"3.11": "debian12", "3.13": "debian13"}
    if version not in releases:
        raise Problem(f".venv has Python {version}; what is compared with needs 3.11 or 3.13")
    environment = {"MINISMITH_PYTHON": str(python), "LD_LIBRARY_PATH": libraries}
    if released:
        programs = programs / "x86_64" / releases[version]
    return Local("x86_64", programs, [], environment, ROOT / ".cache" / "models")


def seen_root() -> Path:
    """What programs see as / by qemu-user: Debian 13, and the robot's processor in /proc/cpuinfo. Older qemu shows that of this
    computer there, and ONNX Runtime, which takes it for one of aarch64, does not survive that."""
    place = CACHE / "root"
    shutil.rmtree(place, ignore_errors=True)
    (place / "proc").mkdir(parents=True)
    for name in ("etc", "lib", "usr"):
        (place / name).symlink_to(CROSS / "robot" / name)
    (place / "proc/cpuinfo").write_text("".join(CORE.format(number) for number in range(os.cpu_count() or 1)))
    return place


def by_user_emulation(here: Path) -> Local:
    """The programs for aarch64 by qemu-user. A program that one starts must be started by qemu again: a script does that."""
    prefix = [str(QEMU), "-cpu", PROCESSOR, "-L", str(seen_root())]
    host = CACHE / "minismith-tool-host"
    host.write_text(f'#!/bin/sh\nexec {shlex.join([*prefix, str(here / "minismith-tool-host")])} "$@"\n')
    host.chmod(0o755)
    environment = {"MINISMITH_PYTHON": str(python_environment() / "bin/python"), "MINISMITH_TOOL_HOST": str(host)}
    return Local("qemu-user", here, prefix, environment, model_folder())


# A computer by qemu-system.

# The kernel's first file system cannot be left by pivot_root(2), which the sandbox uses. As a mount of its own it can.
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin
mount -o bind / /mnt
cd /mnt
mount --move . /
exec chroot . /bin/sh /start
"""
START = """export PATH=/bin:/usr/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devtmpfs dev /dev
mount -t devpts pts /dev/pts
mount -t tmpfs tmp /dev/shm
mount -t tmpfs -o mode=1777 tmp /tmp
ip link set lo up
chown -R 1000:1000 /srv/robot
/usr/bin/python3.13 /opt/emulated.py --inside /opt/runs.json /dev/ttyAMA0 >/dev/ttyAMA0 2>&1
poweroff -f
"""


def idle(environment: dict, home: Path) -> Run:
    """Serves the emulated servos, with torque, and asks nothing: the share of the processor that the server takes."""
    program, line = "/opt/minismith/minismith", home / "line"
    common = {"env": environment, "cwd": home, "user": 1000, "group": 1000, "extra_groups": [], "stdout": subprocess.DEVNULL}
    servos = subprocess.Popen([program, "mock", "--link", line], **common)
    while not line.exists():
        time.sleep(0.1)
    server = subprocess.Popen([program, "serve", "--robot", line, "--port", "8000"], **common)

    def ask(method: str, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=10)
        connection.request(method, path)
        return connection.getresponse().read()

    while True:
        with contextlib.suppress(OSError):
            ask("GET", "/health")
            break
        time.sleep(0.5)
    ask("POST", "/api/motors/set_mode/enabled")
    # What a start leaves to do, such as to read the tools.
    time.sleep(IDLE_SECONDS)

    def used() -> "tuple[float, float, float]":
        fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return int(fields[11]) / ticks, int(fields[12]) / ticks, time.monotonic()

    before, cycles = used(), json.loads(ask("GET", "/health"))["cycles"]
    time.sleep(IDLE_SECONDS)
    after, now = used(), json.loads(ask("GET", "/health"))["cycles"]
    user, system, seconds = (b - a for a, b in zip(before, after))
    for process in (server, servos):
        process.terminate()
        process.wait()
    figures = {"user": user / seconds, "system": system / seconds, "cycles_per_second": (now - cycles) / seconds}
    return Run(0, json.dumps(figures), "", seconds, None)


def inside(runs: Path, line: Path) -> None:
    """Runs in the emulated computer, as a user who may nothing special, and sends all results over the serial line."""
    home = Path("/srv/robot")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "MINISMITH_PYTHON": "/opt/venv/bin/python"}
    done = []
    for arguments in json.loads(runs.read_text()):
        run = idle(environment, home) if arguments == IDLE else measured(["/opt/minismith/minismith", *arguments], environment, home, user=1000)
        done.append([run.code, run.output, run.errors, run.seconds, run.resident])
    packed = base64.encodebytes(zlib.compress(json.dumps([done, files(home)]).encode()))
    with open(line, "wb") as file:
        file.write(b"\n@@begin\n" + packed + b"@@end\n")
    # What is written to the line leaves it slowly.
    time.sleep(2)


def picture(here: Path, runs: list, folder: Path) -> Path:
    """The file system that the kernel starts with."""
    tree = folder / "tree"
    for place in ("proc", "sys", "dev", "tmp", "bin", "sbin", "etc", "srv/robot", "opt", "mnt"):
        (tree / place).mkdir(parents=True)

    def link(source: Path, goal: str) -> None:
        subprocess.run(["cp", "-a", "--link", "--no-target-directory", str(source), str(tree / goal)], check=True)

    link(CROSS / "robot/usr", "usr")
    (tree / "lib").symlink_to("usr/lib")
    for source, goal in [(here, "opt/minismith"), (python_environment(), "opt/venv"),
                         (model_folder(), "opt/models")]:
        link(source, goal)
    shutil.copy2(CROSS / "shell/usr/bin/busybox", tree / "bin/busybox")
    shutil.copy2(TOOL, tree / "srv/robot" / TOOL.name)
    for trace in folder.glob("*.jsonl"):
        shutil.copy2(trace, tree / "srv/robot" / trace.name)
    shutil.copy2(Path(__file__), tree / "opt/emulated.py")
    (tree / "opt/runs.json").write_text(json.dumps(runs))
    (tree / "srv/robot/config.yaml").write_text("models: {directory: /opt/models}\n")
    (tree / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nrobot:x:1000:1000::/srv/robot:/bin/sh\n")
    (tree / "etc/group").write_text("root:x:0:\nrobot:x:1000:\n")
    (tree / "init").write_text(INIT)
    (tree / "start").write_text(START)
    (tree / "init").chmod(0o755)
    made = folder / "initramfs"
    with open(made, "wb") as file:
        names = subprocess.run(["find", ".", "-mindepth", "1", "-print0"], cwd=tree, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run([str(CROSS / "bin/cpio"), "--null", "--create", "--format=newc", "--quiet", "--owner=0:0"], cwd=tree,
                       input=names, stdout=file, check=True)
    shutil.rmtree(tree)
    return made


def boot(here: Path, runs: list, folder: Path, options: "list | None" = None) -> "tuple[list, dict, float]":
    """Boots Debian 13's kernel, runs everything in it, and returns the runs, the traces and the seconds of the whole."""
    kernel = next((CROSS / "kernel/boot").glob("vmlinuz-*"))
    memory = picture(here, runs, folder)
    command = [str(CROSS / "bin/qemu-system-aarch64"), "-machine", "virt", "-cpu", PROCESSOR, "-smp", "2", "-m", "3072",
               "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-kernel", str(kernel), "-initrd", str(memory),
               "-append", "console=ttyAMA0 quiet panic=-1 oops=panic", *(options or [])]
    started = time.monotonic()
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=PATIENCE).stdout.decode(errors="replace").replace("\r", "")
    except subprocess.TimeoutExpired as expired:
        raise Problem(f"the emulated computer did not end in {PATIENCE} s; it said: "
                      f"{(expired.stdout or b'').decode(errors='replace')[-800:]}") from None
    if "@@end" not in said:
        raise Problem(f"the emulated computer ended early; it said: {said[-800:]}")
    packed = said.split("@@begin\n")[1].split("@@end")[0]
    done, written = json.loads(zlib.decompress(base64.b64decode("".join(packed.split()))))
    return [Run(*run) for run in done], written, time.monotonic() - started


# What is compared.


def motion(trace: str) -> list:
    """The goals and positions of each cycle, from the first that moves on."""
    rows = [row for row in map(json.loads, trace.splitlines()) if row["type"] == "cycle"]
    cycles = [(row["setpoint_deg"], row["goal_deg"], row["present_deg"]) for row in rows]
    still = next((number for number, cycle in enumerate(cycles) if cycle[0] != cycles[0][0]), 0)
    return cycles[still:]


def without_pauses(cycles: list) -> list:
    """The cycles that differ from the one before. What is said is moved in real time, and how many cycles pass from one motion to
    the next depends on how busy the computer is."""
    return [cycle for number, cycle in enumerate(cycles) if number == 0 or cycle[:2] != cycles[number - 1][:2]]


class Difference:
    """How far two streams of motion are apart."""

    def __init__(self, first: list, second: list) -> None:
        self.cycles = min(len(first), len(second))
        self.lengths = (len(first), len(second))
        pairs = [(a, b) for mine, theirs in zip(first, second) for part in (0, 1)
                 for a, b in zip(mine[part], theirs[part])]
        self.worst = max((abs(a - b) for a, b in pairs), default=0.0)
        self.unequal = sum(a != b for a, b in pairs)
        self.numbers = len(pairs)
        self.present = max((abs(a - b) for mine, theirs in zip(first, second) for a, b in zip(mine[2], theirs[2])), default=0.0)

    def __str__(self) -> str:
        if not self.unequal:
            cycles = " and ".join(map(str, sorted(set(self.lengths))))
            return f"all {self.numbers} numbers of {cycles} cycles are equal to the last bit"
        return f"{self.unequal} of {self.numbers} numbers differ, by {self.worst:.2g} degrees at most"


def figures(value: object, path: str = "") -> dict:
    """All numbers of a document, each with its place."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return {}
    if isinstance(value, (int, float)):
        return {path: float(value)}
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    # What the run took of this computer is no part of the motion.
    pairs = [(name, inner) for name, inner in pairs if name not in COSTS]
    return {key: number for name, inner in pairs for key, number in figures(inner, f"{path}/{name}").items()}


class Judge:
    """Collects what was found; what does not hold makes the whole fail."""

    def __init__(self) -> None:
        self.failed = 0

    def that(self, holds: bool, what: str) -> None:
        print(f"  {'ok  ' if holds else 'FAIL'} {what}", flush=True)
        self.failed += not holds


def judge_motion(judge: Judge, where: str, native: dict, other: dict) -> None:
    for kind in ("said", "replayed"):
        counts = len(native[kind]), len(other[kind])
        judge.that(min(counts) >= len(SENTENCES), f"{where}: {counts[0]} and {counts[1]} traces of what was {kind}")
    for sentence, one, two in zip(SENTENCES, native["said"], other["said"]):
        difference = Difference(without_pauses(motion(one)), without_pauses(motion(two)))
        # Planned by sines and roots of two C libraries: the last bits may differ, and no motor knows a step below 0.088 degrees.
        fits = difference.lengths[0] == difference.lengths[1] > 20 and difference.worst < 1e-9
        judge.that(fits, f"{where}: say {sentence!r}: {difference}")
    for sentence, one, two in zip(SENTENCES, native["replayed"], other["replayed"]):
        difference = Difference(motion(one), motion(two))
        same = difference.lengths[0] == difference.lengths[1] > 20
        fits = same and difference.worst < 1e-9 and difference.present < 1e-9
        judge.that(fits, f"{where}: replay of it: {difference}; positions by {difference.present:.2g} at most")


def judge_answers(judge: Judge, where: str, native: dict, other: dict) -> None:
    version = native["version"].output.strip()
    judge.that(version != "" and other["version"].output.strip() == version, f"{where}: --version: {version}")
    for number, sentence in enumerate(SENTENCES):
        one, two = native[f"say {number}"], other[f"say {number}"]
        mine, theirs = one.document(), two.document()
        same = mine["text"] == theirs["text"] and mine["outcome"] == theirs["outcome"] == "done"
        judge.that(same, f"{where}: say {sentence!r} answers {theirs['text']!r}")


def judge_models(judge: Judge, where: str, native: dict, other: dict) -> None:
    mine, theirs = native["see"].document()["text"], other["see"].document()["text"]
    judge.that(mine == theirs and "person" in mine, f"{where}: faces by ONNX Runtime: {theirs!r}")
    mine, theirs = native["search"].document(), other["search"].document()
    likeness = [{result["name"]: result["likeness"] for result in document["results"]} for document in (mine, theirs)]
    common = likeness[0].keys() & likeness[1].keys()
    worst = max((abs(likeness[0][name] - likeness[1][name]) for name in common), default=1.0)
    # The model's weights are 8-bit integers, which processors sum up differently.
    judge.that(bool(theirs["semantic"]) and len(common) >= 5 and worst < 0.02,
               f"{where}: meaning by ONNX Runtime: {len(common)} common results, likeness differs by {worst:.2g} at most")


def judge_check(judge: Judge, where: str, native: Run, other: Run) -> None:
    mine, theirs = native.document()["results"][0], other.document()["results"][0]
    one, two = figures(mine["report"]), figures(theirs["report"])
    worst = max((abs(one[key] - two[key]) for key in one.keys() & two.keys()), default=1.0)
    judge.that(mine["admitted"] and theirs["admitted"], f"{where}: tool check {TOOL.name} in the sandbox: admitted")
    judge.that(one.keys() == two.keys() and worst < 0.02,
               f"{where}: its report: {len(two)} figures differ by {worst:.2g} at most")
    equal = mine["report"]["command_digest"] == theirs["report"]["command_digest"]
    print(f"       the commands of its {two['/beats']:.0f} cycles are {'' if equal else 'NOT '}equal to the last bit")


def judge_sandbox(judge: Judge, doctor: Run) -> None:
    checks = doctor.document()["checks"]
    for check in checks:
        if check["name"].startswith("sandbox"):
            mechanism = check["detail"].partition(":")[0]
            judge.that(check["state"] == "good", f"qemu-system: {check['name']}: {mechanism[:110]}")
    judge.that(sum(check["name"] == "sandbox mechanism" for check in checks) >= 10, "qemu-system: each mechanism was tried")


def judge_idle(judge: Judge, cost: Run) -> None:
    figures = cost.document()
    share = figures["user"] + figures["system"]
    judge.that(share <= 0.03, f"qemu-system: an idle server takes {share:.1%} of a processor with one instruction per nanosecond "
               f"({figures['user']:.1%} its own, {figures['system']:.1%} the kernel's; {figures['cycles_per_second']:.0f} cycles "
               f"per second over a pseudo-terminal)")


def named(runs: list, plan: list) -> dict:
    return {name: run for (name, _), run in zip(plan, runs)}


def plan(replays: int) -> list:
    """What every machine runs, each with a name."""
    steps = [(f"say {number}", ["say", sentence, "--json"]) for number, sentence in enumerate(SENTENCES)]
    steps += [(f"replay {number}", ["replay", f"first-{number}.jsonl", "--out", f"again-{number}.jsonl", "--json"])
              for number in range(replays)]
    steps += [("version", ["--version"]), ("see", ["say", FACE, "--json"]), ("search", ["tool", "search", SEARCH, "--json"]),
              ("check", ["tool", "check", TOOL.name, "--no-cache", "--json"]), ("doctor", ["doctor", "--json"])]
    return steps


def table(results: dict) -> None:
    def size(folder: Path) -> float:
        return sum((folder / name).stat().st_size for name in ("minismith", "minismith-tool-host")) / 1e6

    print(f"\n{'':34}{'size':>10}{'--version':>12}{'say nod':>10}{'tool check':>12}{'memory of say nod':>20}")
    for name, (folder, runs) in results.items():
        check = f"{runs['check'].seconds:.1f} s" if runs["check"].code == 0 else "refused"
        print(f"{name:34}{size(folder):7.1f} MB{runs['version'].seconds:10.2f} s{runs['say 0'].seconds:8.1f} s{check:>12}"
              f"{runs['say 0'].resident:17.0f} MB")
    print("`say nod` includes the second that the motion takes. The times of qemu say nothing about a real robot.\n")


def main() -> int:
    if len(sys.argv) == 4 and sys.argv[1] == "--inside":
        inside(Path(sys.argv[2]), Path(sys.argv[3]))
        return 0
    by_user_alone = sys.argv[1:2] == ["--user"]
    if len(sys.argv) != (4 if by_user_alone else 2):
        print(__doc__, file=sys.stderr)
        return 2
    programs = Path(sys.argv[2 if by_user_alone else 1]).resolve()
    for_aarch64 = Path(sys.argv[3]).resolve() if by_user_alone else programs / "aarch64" / "debian13"
    if os.uname().machine != "x86_64":
        print("emulated: this compares with x86-64 programs, so it runs on x86-64; on aarch64 run the programs.", file=sys.stderr)
        return 2
    started, judge = time.monotonic(), Judge()
    folder = Path(tempfile.mkdtemp(prefix="minismith-emulated-"))
    machines = []
    try:
        here = native(programs, released=not by_user_alone)
        user = by_user_emulation(for_aarch64)
        machines += [here, user]
        for machine in machines:
            shutil.copy2(TOOL, machine.folder / TOOL.name)

        print("On x86-64, for comparison.", flush=True)
        first = plan(0)
        runs, written = here.runs([arguments for _, arguments in first[:len(SENTENCES)]])
        for number, trace in enumerate(written["said"]):
            for place in (here.folder, user.folder, folder):
                (place / f"first-{number}.jsonl").write_text(trace)
        steps = plan(len(SENTENCES))
        rest, written = here.runs([arguments for _, arguments in steps[len(SENTENCES):]])
        mine = named(runs + rest, steps)

        print("By qemu-user: Debian 13's libraries, this computer's kernel.", flush=True)
        runs, theirs = user.runs([arguments for _, arguments in steps])
        emulated = named(runs, steps)
        judge_answers(judge, "qemu-user", mine, emulated)
        judge_motion(judge, "qemu-user", written, theirs)
        judge_models(judge, "qemu-user", mine, emulated)
        refused = emulated["check"]
        said = (refused.errors or refused.output).strip().splitlines() or [""]
        # qemu has a thread of its own in each process, so the tool host does not even come to set up its sandbox.
        judge.that(refused.code == 2 and "no tool can run" in said[0], f"qemu-user: a tool is refused: {said[0][:300]}")

        compared = {"x86-64": (here.programs, mine), "aarch64 by qemu-user": (for_aarch64, emulated)}
        if not by_user_alone:
            print("By qemu-system: Debian 13's kernel and libraries; as a user without privileges.", flush=True)
            runs, theirs, seconds = boot(for_aarch64, [arguments for _, arguments in steps], folder)
            booted = named(runs, steps)
            judge_answers(judge, "qemu-system", mine, booted)
            judge_motion(judge, "qemu-system", written, theirs)
            judge_models(judge, "qemu-system", mine, booted)
            judge_check(judge, "qemu-system", mine["check"], booted["check"])
            judge_sandbox(judge, booted["doctor"])
            [cost], _, _ = boot(for_aarch64, [IDLE], folder, INSTRUCTION_TIME)
            judge_idle(judge, cost)
            compared[f"aarch64 by qemu-system ({seconds:.0f} s)"] = (for_aarch64, booted)
        table(compared)
    except (Problem, subprocess.CalledProcessError, OSError) as problem:
        print(f"emulated: {problem}", file=sys.stderr)
        return 1
    finally:
        for place in [folder] + [machine.folder for machine in machines]:
            with contextlib.suppress(OSError):
                shutil.rmtree(place)
    minutes = (time.monotonic() - started) / 60
    print(f"{'Failed: ' + str(judge.failed) if judge.failed else 'All hold'}; {minutes:.1f} minutes.")
    return 1 if judge.failed else 0


if __name__ == "__main__":
    sys.exit(main())
