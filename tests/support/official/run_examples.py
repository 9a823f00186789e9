"""Runs the examples of the official package, unmodified, and checks the effect of each at the robot and at PulseAudio.

usage: run_examples.py PROGRAM [NAME...]      in a Debian 13 with the official SDK; PROGRAM is `minismith`; all examples or some

Prints one line for each example; exit code 1 if one has not the effect that it describes.
"""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import requests
import soundfile
from exercise_media import RATE, listen, pitch, start_pulseaudio, tone

URL = "http://127.0.0.1:8000"
EXAMPLES = Path("/tmp/examples")
WORK = Path("/tmp/work")
# Where the packages of `pip` lie, some of which need their `.pth` file, which Python reads in its own folders only.
PACKAGES = "/opt/sdk"
RERUN = PACKAGES + "/rerun_sdk/rerun_cli/rerun"


class Watch:
    """Samples the robot's state while an example runs."""

    def __init__(self):
        self.states = []
        self.ended = False
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()

    def sample(self):
        session = requests.Session()
        while not self.ended:
            self.states.append(session.get(URL + "/api/state/full", timeout=10).json())
            time.sleep(0.02)

    def end(self):
        self.ended = True
        self.thread.join()

    def span(self, part):
        """Returns the range of a coordinate of the head, or of an antenna by its number."""
        values = [state["antennas_position"][part] if isinstance(part, int) else state["head_pose"][part] for state in self.states]
        return max(values) - min(values)

    def modes(self):
        return {state["control_mode"] for state in self.states}


def run(name, *arguments, seconds, during=None, environment=(), through=()):
    """Runs an example for at most so long, then interrupts it as a person would. Returns its output and the states.

    `through` is the start of the command, where the example is not started directly.
    """
    watch = Watch()
    command = [sys.executable, "-u", *through, str(EXAMPLES / f"{name}.py"), *arguments]
    process = subprocess.Popen(command, cwd=WORK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | dict(environment))
    output = []
    reader = threading.Thread(target=lambda: output.extend(process.stdout))
    reader.start()
    until = time.monotonic() + seconds
    found = during() if during else None
    while process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
    reader.join()
    watch.end()
    text = "".join(output)
    assert "Traceback" not in text, text[-1500:]
    return text, watch, found


def moved(watch, **least):
    for part, span in least.items():
        part = int(part[-1]) if part.startswith("antenna") else part
        assert watch.span(part) > span, f"{part} moved by {watch.span(part):.3f} only"


def minimal_demo():
    _, watch, _ = run("minimal_demo", seconds=6)
    moved(watch, antenna0=0.5, pitch=0.2)


def sequence():
    _, watch, _ = run("sequence", seconds=12)
    moved(watch, yaw=1.0, pitch=0.4, roll=0.4, z=0.02)


def goto_interpolation_playground():
    _, watch, _ = run("goto_interpolation_playground", seconds=9)
    moved(watch, y=0.04, antenna0=0.5, yaw=0.2)


def mini_head_position_gui():
    def drag():
        # The trough of the third scale, which is the yaw, to the right of its middle.
        window = find_window("Set Head Euler Angles")
        height = int(subprocess.run(["xdotool", "getwindowgeometry", "--shell", window], capture_output=True, text=True, check=True).stdout.split("HEIGHT=")[1].split()[0])
        row = height / 7
        for _ in range(12):
            xdotool("mousemove", "--window", window, "300", str(int(2 * row + row * 0.8)), "click", "1")
            time.sleep(0.05)
        time.sleep(2)

    _, watch, _ = run("mini_head_position_gui", seconds=3, during=drag)
    moved(watch, antenna0=0.8, yaw=0.05)


def look_at_image():
    def click():
        window = find_window("Reachy Mini Camera")
        time.sleep(2)
        xdotool("mousemove", "--window", window, "200", "300", "click", "1")
        time.sleep(2)

    _, watch, _ = run("look_at_image", seconds=3, during=click)
    # The point is far to the left of the middle of the image.
    assert max(state["head_pose"]["yaw"] for state in watch.states) > 0.3, watch.span("yaw")


def take_picture():
    run("take_picture", seconds=25)
    picture = (WORK / "reachy_mini_picture.jpg").read_bytes()
    assert picture[:2] == b"\xff\xd8" and len(picture) > 20_000, len(picture)


def head_tracking():
    text, watch, _ = run("head_tracking", seconds=8)
    assert text.count("Face at") >= 3, text
    moved(watch, yaw=0.1)


def imu_example():
    text, _, _ = run("imu_example", seconds=4)
    heard = [float(line.split("Z=")[1]) for line in text.splitlines() if line.startswith("Accelerometer")]
    assert len(heard) > 5 and all(9 < value < 10 for value in heard), text


def reachy_compliant_demo():
    _, watch, _ = run("reachy_compliant_demo", seconds=4)
    assert "gravity_compensation" in watch.modes(), watch.modes()
    assert requests.get(URL + "/api/state/full", timeout=10).json()["control_mode"] == "enabled"


def recorded_moves():
    # In place of a hosted dataset, one in the hub's cache.
    folder = Path("/tmp/hub/datasets--pollen-robotics--reachy-mini-dances-library")
    snapshot = folder / "snapshots/0123456789abcdef0123456789abcdef01234567"
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs/main").write_text(snapshot.name)
    times = [index / 50 for index in range(150)]
    frames = []
    for at in times:
        yaw = 0.4 * math.sin(2 * math.pi * at / 3)
        cosine, sine = math.cos(yaw), math.sin(yaw)
        head = [[cosine, -sine, 0, 0], [sine, cosine, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        frames.append({"head": head, "antennas": [0.5 * math.sin(2 * math.pi * at), 0.0], "body_yaw": 0.0, "check_collision": False})
    (snapshot / "turn.json").write_text(json.dumps({"description": "turns the head", "time": times, "set_target_data": frames}))
    text, watch, _ = run("recorded_moves", seconds=8, environment={"HF_HUB_CACHE": "/tmp/hub", "HF_HUB_OFFLINE": "1"}.items())
    assert "Playing move: turn" in text, text
    moved(watch, yaw=0.6, antenna0=0.7)


def sound_record():
    tone("/tmp/room.wav", 700, 20)
    # The room is there before the microphone opens.
    player = subprocess.Popen(["paplay", "--device=room", "/tmp/room.wav"])
    time.sleep(2)
    try:
        run("sound_record", seconds=20)
    finally:
        player.terminate()
    samples, rate = soundfile.read(WORK / "recorded_audio.wav", always_2d=True)
    hertz, level = pitch(samples[-rate:, 0], rate)
    assert abs(hertz - 700) < 15 and level > 0.003, (hertz, level)


def heard():
    time.sleep(2)
    return pitch(listen(3)[-RATE // 2 :], RATE)


def sound_play():
    tone("/tmp/sound.wav", 500, 7)
    _, _, (hertz, level) = run("sound_play", "--file", "/tmp/sound.wav", seconds=20, during=heard)
    assert abs(hertz - 500) < 15 and level > 0.01, (hertz, level)
    _, _, (hertz, level) = run("sound_play", "--live", seconds=2, during=heard)
    assert abs(hertz - 440) < 15 and level > 0.01, (hertz, level)
    _, watch, _ = run("sound_play", "--file", "/tmp/sound.wav", "--wobbling", seconds=20)
    moved(watch, pitch=0.005)


def sound_doa():
    # Without the robot's microphones there is no direction; the example says so and goes on.
    text, _, _ = run("sound_doa", seconds=5)
    assert "No DoA data available" in text, text


def sound_tts():
    tone("/tmp/voice.wav", 200, 1)
    port = "8900"
    service = subprocess.Popen([sys.executable, "/tmp/speech_service.py", port], cwd=WORK)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: requests.get(address + "/config", timeout=5).ok, 60)
        arguments = ["--text", "Hello", "--lang", "en", "--ref-audio", "/tmp/voice.wav"]
        found = {}

        def hear():
            # The loudest of what is heard: the speech begins when the service has answered.
            for _ in range(8):
                hertz, level = heard()
                if level > found.get("level", 0):
                    found.update(hertz=hertz, level=level)

        text, watch, _ = run("sound_tts", *arguments, seconds=45, during=hear, environment={"HF_ENDPOINT": address}.items())
    finally:
        service.terminate()
    assert "Done." in text and abs(found["hertz"] - 500) < 15 and found["level"] > 0.01, (text, found)
    moved(watch, pitch=0.005)


def joy_controller():
    text, watch, _ = run("joy_controller", seconds=25, through=["/tmp/joystick.py"])
    assert "Quit button pressed" in text, text
    moved(watch, yaw=0.6)
    turned = max(abs(state["body_yaw"]) for state in watch.states)
    assert turned > 0.3, f"the body turned by {turned:.2f}"


def rerun_viewer():
    seen = WORK / "seen.rrd"
    goto = {"body_yaw": 0.4, "antennas": [0.3, -0.5], "duration": 1.0}
    requests.post(URL + "/api/move/goto", json=goto, timeout=10).raise_for_status()
    time.sleep(2)
    # In place of the window, which needs a graphics card, the viewer writes what it receives into a file.
    viewer = subprocess.Popen([RERUN, "--save", str(seen)], stderr=subprocess.DEVNULL)
    time.sleep(3)
    code = f"import runpy, site, sys; site.addsitedir({PACKAGES!r}); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    _, watch, _ = run("rerun_viewer", seconds=30, through=["-c", code])
    viewer.send_signal(signal.SIGINT)
    viewer.wait(20)
    assert "gravity_compensation" in watch.modes(), watch.modes()

    def logged(entity, *details):
        return subprocess.run([RERUN, "rrd", "print", "--entity", entity, *details, str(seen)], capture_output=True, text=True, check=True).stdout

    for joint, angle in [("yaw_body", 0.4), ("left_antenna", 0.3), ("right_antenna", -0.5)]:
        rows = [line for line in logged(f"/joints/{joint}", "-vvv").splitlines() if "row_" in line]
        last = float(rows[-1].split("[")[-1].split("]")[0])
        assert len(rows) > 50 and abs(last - angle) < 0.02, (joint, len(rows), last)
    assert "Chunk" in logged("/transforms/passive_1_x") and "Chunk" in logged("/camera/image")


def wait_for(holds, seconds):
    until = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except requests.ConnectionError:
            pass
        assert time.monotonic() < until, "it does not answer"
        time.sleep(0.2)


def custom_media_manager():
    released = []

    def look():
        time.sleep(2)
        released.append(requests.get(URL + "/api/media/status", timeout=10).json()["released"])

    text, watch, _ = run("custom_media_manager", seconds=20, during=look)
    assert "media_released=True" in text and released == [True] and (WORK / "release_media_audio.wav").is_file(), text
    assert requests.get(URL + "/api/media/status", timeout=10).json()["released"] is False
    moved(watch, antenna0=0.2)


def xdotool(*arguments):
    subprocess.run(["xdotool", *arguments], check=True)


def find_window(title):
    for _ in range(100):
        found = subprocess.run(["xdotool", "search", "--name", title], capture_output=True, text=True).stdout.split()
        if found:
            return found[-1]
        time.sleep(0.1)
    raise AssertionError(f"no window {title!r}")


def main(program, *only):
    WORK.mkdir()
    start_pulseaudio()
    os.environ["DISPLAY"] = ":77"
    display = subprocess.Popen(["Xvfb", ":77", "-screen", "0", "1600x1000x24"], stderr=subprocess.DEVNULL)
    server = subprocess.Popen([program, "serve", "--robot", "mock", "--json"], stdout=subprocess.PIPE, cwd="/tmp")
    failed = []
    try:
        server.stdout.readline()
        for name in sorted(path.stem for path in EXAMPLES.glob("*.py")):
            if only and name not in only:
                continue
            requests.post(URL + "/api/move/play/wake_up", timeout=10)
            while requests.get(URL + "/api/move/running", timeout=10).json():
                time.sleep(0.1)
            try:
                globals()[name]()
                print(f"works     {name}", flush=True)
            except Exception as error:
                failed.append(name)
                print(f"FAILS     {name}: {type(error).__name__}: {str(error)[-600:]}", flush=True)
    finally:
        server.terminate()
        server.wait(30)
        display.kill()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
