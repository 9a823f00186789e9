"""Installs, upgrades, uses, takes over with, removes and purges the Debian package in a clean root, then installs the wheel
there, and checks each step.

usage: test_packages.py OLD.deb NEW.deb WHEEL        exit code 3: no clean root can be made here

OLD and NEW hold the same programs with two versions. The root is made by mmdebstrap in a temporary folder; what the package
needs is installed there by apt, from its own dependencies alone. The service runs below systemd, as process 1 of that root.
Prints a transcript. It needs root.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
SUITE = "trixie"

# systemd as process 1 of the root, with a control group of its own. It starts nothing but the trial, and ends with it.
BOOT = """
set -e
mount --make-rprivate /
mount -t cgroup2 none "$0/mnt"
mkdir "$0/mnt/minismith-trial-$$"
echo $$ >"$0/mnt/minismith-trial-$$/cgroup.procs"
umount "$0/mnt"
unshare --mount --cgroup --pid --fork --kill-child --uts --ipc sh -ec '
    mount --bind "$0" "$0" && cd "$0"
    mount -t proc proc proc
    mount -t sysfs -o ro sys sys
    mount -t cgroup2 none sys/fs/cgroup
    mount --rbind /dev dev
    mount -t tmpfs -o mode=755 tmpfs run
    pivot_root . mnt && umount -l /mnt && cd /
    exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \\
        /lib/systemd/systemd --system --unit=trial.target --log-target=console --show-status=no
' "$0" || code=$?
mount -t cgroup2 none "$0/mnt"
echo $$ >"$0/mnt/cgroup.procs"
find "$0/mnt/minismith-trial-$$" -depth -type d -exec rmdir {} +
umount "$0/mnt"
exit ${code:-0}
"""
TRIAL = {
    "trial.target": "[Unit]\nDefaultDependencies=no\nWants=trial.service\n",
    "trial.service": "[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nTimeoutStartSec=600\n"
                     "ExecStart=python3 /srv/service_trial.py /srv/trial.json\nExecStopPost=systemctl exit 0\n",
}


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)
    print(f"    ok: {text}", flush=True)


class Root:
    """A clean root of Debian."""

    def __init__(self, folder):
        self.folder = folder

    def make(self):
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt/lists",
             "--include=systemd,init-system-helpers,ca-certificates,man-db,passwd", SUITE, self.folder],
            check=True, stdout=sys.stderr,
        )
        shutil.copy("/etc/resolv.conf", f"{self.folder}/etc/resolv.conf")

    def run(self, command, code=0, shown=None, timeout=600):
        """Runs a shell command in the root, with its own /proc and the devices of this machine."""
        print(f"# {shown or command}", flush=True)
        # After a chroot, the kernel would refuse the user namespaces of the sandbox.
        script = (
            f"mount --bind {self.folder} {self.folder} && cd {self.folder} && mount -t proc proc proc && "
            "mount --rbind /dev dev && mount -t tmpfs tmpfs run && pivot_root . mnt && umount -l /mnt && cd / && "
            "exec /bin/sh -c \"$1\""
        )
        kept = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        result = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout,
            env=kept | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8",
                        "HOME": "/srv"},
        )
        lines = result.stdout.splitlines()
        for line in lines[:6] + (["..."] if len(lines) > 12 else []) + lines[max(6, len(lines) - 6):]:
            print(f"    {line[:160]}")
        if result.returncode != code:
            raise Failure(f"`{shown or command}` ended with {result.returncode}:\n{result.stdout[-4000:]}")
        return result.stdout

    def serve(self):
        """Tries the service below systemd, and returns what was found."""
        print("# systemd as process 1, and below it the trial of the service", flush=True)
        shutil.copy(TREE / "scripts/service_trial.py", f"{self.folder}/srv/")
        units = Path(f"{self.folder}/etc/systemd/system")
        for name, text in TRIAL.items():
            (units / name).write_text(text)
        ended = subprocess.run(["unshare", "--mount", "sh", "-c", BOOT, self.folder], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=600)
        for name in TRIAL:
            (units / name).unlink()
        result = Path(f"{self.folder}/srv/trial.json")
        if not result.exists():
            raise Failure(f"systemd ended with {ended.returncode}:\n{ended.stdout[-4000:]}")
        found = json.loads(result.read_text())
        if "failed" in found:
            raise Failure(f"{found['failed']}\n{ended.stdout[-4000:]}")
        print(f"    {found}", flush=True)
        return found

    def json(self, command, code=0):
        return json.loads(self.run(f"{command} 2>/dev/null", code=code, shown=command))

    def install(self, package):
        shutil.copy(package, f"{self.folder}/tmp/")
        name = Path(package).name
        self.run(f"apt-get install --yes -qq -o Dpkg::Use-Pty=0 --no-install-recommends /tmp/{name} && rm /tmp/{name}",
                 shown=f"apt-get install ./{name}")

    def tree(self, *folders):
        """Returns what is in these folders: each path with its target or its content."""
        def content(path):
            if path.is_symlink():
                return os.readlink(path)
            return path.read_bytes() if path.is_file() else None

        paths = [path for folder in folders for path in Path(f"{self.folder}/{folder}").rglob("*")]
        return {str(path): content(path) for path in paths}

    def names(self):
        """Returns every path that has the name of the program in it, but not those of apt, dpkg and the logs."""
        skipped = ("/proc", "/dev", "/sys", "/var/lib/dpkg", "/var/cache", "/var/log", "/var/lib/apt")
        found = []
        for folder, folders, files in os.walk(self.folder):
            inside = folder[len(self.folder):] or "/"
            folders[:] = [name for name in folders if not os.path.join(inside, name).startswith(skipped)]
            found += [os.path.join(inside, name) for name in folders + files if "minismith" in name]
        return sorted(found)


def main(old, new, wheel):
    folder = tempfile.mkdtemp(prefix="minismith-root-", dir=os.environ.get("TMPDIR", "/tmp"))
    root = Root(folder)
    try:
        try:
            root.make()
            root.run("true")
        except (subprocess.CalledProcessError, Failure) as error:
            print(f"no clean root: {error}", file=sys.stderr)
            sys.exit(3)
        journey(root, old, new)
        pip(root, wheel)
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("The package and the wheel pass.")


def pip(root, wheel):
    """Installs the wheel into a virtual environment, uses it as a person, and removes it."""
    print("== Wheel")
    root.run("apt-get install --yes -qq -o Dpkg::Use-Pty=0 --no-install-recommends python3-venv libpython3.13 libasound2t64")
    name = Path(wheel).name
    place = Path(f"{root.folder}/srv/wheels")
    place.mkdir()
    shutil.copy(wheel, place)
    # What this machine's pip brings from where it is told to, by its pinned hash; the clean root knows no mirrors.
    machine = os.uname().machine
    platforms = [f"--platform=manylinux{glibc}_{machine}" for glibc in ("_2_28", "_2_27", "2014")]
    subprocess.run(
        [TREE / ".venv/bin/python", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes",
         "--no-deps", "--only-binary=:all:", "--python-version=3.13", *platforms, f"--dest={place}",
         f"--requirement={TREE / 'requirements/tools.txt'}"],
        check=True, stdout=sys.stderr,
    )
    root.run("python3 -m venv /srv/environment")
    root.run(f"/srv/environment/bin/pip install --quiet --no-index --find-links=/srv/wheels /srv/wheels/{name}",
             shown=f"pip install {name}")
    as_person = "cd /tmp && runuser -u tester -- /srv/environment/bin/minismith"
    root.run(f"{as_person} --version")
    made = root.json(f"{as_person} say 'make a tool called greet_twice that nods twice, then run it' --json")
    check(made["tool"] is not None and made["outcome"] == "done", "a tool is made with the Python of the environment, and runs")
    root.run("/srv/environment/bin/pip uninstall --quiet --yes minismith && test ! -e /srv/environment/bin/minismith",
             shown="pip uninstall minismith")


def journey(root, old, new):
    print("== Install")
    root.install(old)
    root.run("minismith --version; minismith-tool-host --version; minismith fleet --version")
    paths = root.json("minismith paths --json")
    check("/etc/minismith/config.yaml" in json.dumps(paths), "the configuration of /etc counts")
    groups = root.run("id -nG minismith").split()
    check({"dialout", "video", "audio", "plugdev"} <= set(groups), "the user of the service is in its groups")
    root.run("systemctl --root=/ is-enabled minismith.service", code=1)
    root.run("systemd-analyze verify --man=no /usr/lib/systemd/system/minismith.service "
             "/usr/lib/systemd/system/minismith-fleet@kitchen.service")
    root.run("man -w minismith-first-run minismith-fleet && test -s /usr/share/bash-completion/completions/minismith")
    check("no such serial port" in root.run("minismith motors", code=2), "without a robot, a command says so")

    print("== Use, by a person")
    root.run("useradd --create-home --home-dir /srv/tester tester")
    said = root.json("runuser -u tester -- minismith say 'nod twice' --robot mock --json")
    check(said["outcome"] == "done", "the simulated robot nods")
    made = root.json(
        "runuser -u tester -- minismith say 'make a tool called hello that nods twice, then run it' --robot mock --json"
    )
    check(made["tool"] and made["outcome"] == "done", "a tool is made with the Python of the system, and runs")

    print("== In a fleet")
    Path(f"{root.folder}/srv/tester/fleet.yaml").write_text(
        "robot: mock\nfleet: {robot: kitchen, router: tcp/127.0.0.1:17453, directory: /srv/tester/fleet}\n"
    )
    fleet = "runuser -u tester -- minismith fleet --router tcp/127.0.0.1:17453"
    root.run(f"""
        runuser -u tester -- minismith fleet router --listen tcp/127.0.0.1:17453 >/dev/null 2>&1 &
        runuser -u tester -- minismith serve --config /srv/tester/fleet.yaml --port 18053 >/srv/serve.log 2>&1 &
        for attempt in $(seq 60); do
            {fleet} list --json >/srv/list.json 2>/dev/null; grep -q '"controller":true' /srv/list.json && break; sleep 1
        done
        {fleet} say --to kitchen --json 'look left 20 degrees' >/srv/said.json || {{ cat /srv/list.json /srv/said.json /srv/serve.log; exit 1; }}
    """, shown="serve with fleet.robot in its configuration, and a command of the fleet")
    (reply,) = json.loads(Path(f"{root.folder}/srv/said.json").read_text())["replies"]
    check(reply["robot"] == "kitchen" and reply["outcome"] == "done", "the robot looks left for the fleet")

    print("== Serve, with emulated servos")
    # As an operator would: the robot is elsewhere.
    root.run("sed -i 's#^robot: .*#robot: /srv/servos/line  \\# ours#' /etc/minismith/config.yaml")
    found = root.serve()
    check(found["exposure"] <= 2.5, "the service starts, moves the robot and checks a tool, with little exposure")
    check(found["result_of_hang"] == "watchdog" and found["torque_after_hang"] == 0,
          "a hung service is killed, the robot is released, and the service starts again")
    check(found["result_of_stop"] == "success" and found["torque_after_stop"] == 0, "after the stop, no motor has torque")
    as_service = ("cd /var/lib/minismith && runuser -u minismith -- env STATE_DIRECTORY=/var/lib/minismith "
                  "CONFIGURATION_DIRECTORY=/etc/minismith minismith")
    made = root.json(f"{as_service} say 'make a tool called salute that waves with the left antenna, then run it' "
                     "--session kept --robot mock --json")
    check(made["tool"] is not None, "the service has a tool of its own")
    before = root.json(f"{as_service} tool list --json")
    sessions = root.json(f"{as_service} session list --json")
    check("salute" in json.dumps(before) and "kept" in json.dumps(sessions), "registry and session are stored")

    print("== Upgrade")
    root.install(new)
    check("ours" in root.run("cat /etc/minismith/config.yaml"), "the changed configuration is kept")
    check(root.json(f"{as_service} tool list --json") == before, "the registry is kept")
    check(root.json(f"{as_service} session list --json") == sessions, "the sessions are kept")
    run = root.json(f"{as_service} tool run salute --robot mock --json")
    check(run.get("outcome") in ("done", "returned") or run.get("refusal") is None, "the tool still runs")

    print("== Beside the official software")
    official = "[Unit]\nDescription=Reachy Mini\n[Service]\nExecStart=/venvs/mini_daemon/launcher.sh\n"
    units = Path(f"{root.folder}/etc/systemd/system")
    (units / "reachy-mini-daemon.service").write_text(official)
    Path(f"{root.folder}/venvs/mini_daemon/lib/python3.12/site-packages/reachy_mini-1.13.0.dist-info").mkdir(parents=True)
    untouched = root.tree("etc/systemd", "venvs")
    root.run("minismith take-over --systemctl /bin/true")
    check((units / "multi-user.target.wants/minismith.service").is_symlink(), "our service starts at boot")
    check((units / "reachy-mini-daemon.service.d").is_dir(), "the official one does not")
    root.run("minismith give-back --systemctl /bin/true")
    check(root.tree("etc/systemd", "venvs") == untouched, "give-back undoes it exactly")
    root.run("minismith take-over --systemctl /bin/true >/dev/null")

    print("== Remove and purge")
    root.run("apt-get remove --yes -qq -o Dpkg::Use-Pty=0 minismith")
    check(root.tree("etc/systemd", "venvs") == untouched, "removal gives the robot back")
    check(Path(f"{root.folder}/var/lib/minismith").is_dir(), "removal keeps the state")
    check("ours" in root.run("cat /etc/minismith/config.yaml"), "removal keeps the configuration")
    root.run("apt-get purge --yes -qq -o Dpkg::Use-Pty=0 minismith")
    left = [path for path in root.names() if not path.startswith("/srv/tester")]
    check(left == [], f"a purge leaves nothing behind: {left}")
    check(Path(f"{root.folder}/srv/tester/.local/share/minismith").is_dir(), "what is a person's stays")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
