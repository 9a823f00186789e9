"""Uses the media classes of the official SDK, unmodified, and prints what they gave as one JSON document.

usage: exercise_media.py PORT      in a Debian 13 with GStreamer and PulseAudio
"""

import json
import subprocess
import sys
import threading
import time
import wave

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

RATE = 16_000


def pulse(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def start_pulseaudio():
    """Starts PulseAudio with a speaker, and a room in which the microphone is."""
    subprocess.run(
        ["pulseaudio", "--daemonize", "--exit-idle-time=-1", "-n", "--load=module-null-sink sink_name=speaker",
         "--load=module-null-sink sink_name=room", "--load=module-native-protocol-unix"],
        check=True, stderr=subprocess.DEVNULL,
    )
    pulse("pactl", "set-default-sink", "speaker")
    pulse("pactl", "set-default-source", "room.monitor")
    # As long as someone listens without delay, others hear at once what a real microphone would give them.
    subprocess.Popen(["parec", "--device=room.monitor", "--latency-msec=20", "/dev/null"], stderr=subprocess.DEVNULL)


def tone(path, hertz, seconds):
    times = np.arange(int(RATE * seconds)) / RATE
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((8_000 * np.sin(2 * np.pi * hertz * times)).astype("<i2").tobytes())


def pitch(samples, rate):
    """Returns the strongest frequency, Hz, and the level."""
    if len(samples) < rate // 10:
        return [0.0, 0.0]
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    spectrum[: int(100 * len(samples) / rate)] = 0
    return [float(np.argmax(spectrum) * rate / len(samples)), float(np.sqrt(np.mean(samples**2)))]


def listen(seconds):
    """Records what the speaker plays."""
    command = ["parec", "--device=speaker.monitor", "--format=float32le", f"--rate={RATE}", "--channels=1"]
    recorder = subprocess.Popen(command, stdout=subprocess.PIPE)
    timer = threading.Timer(seconds, recorder.terminate)
    timer.start()
    data = recorder.stdout.read()
    recorder.wait()
    return np.frombuffer(data[: len(data) // 4 * 4], dtype=np.float32)


def away(robot):
    """Returns the angle of the head from straight ahead, degrees."""
    rotation = robot.get_current_head_pose()[:3, :3]
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))))


def frame(robot):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        image = robot.media.get_frame()
        if image is not None:
            return image
    raise TimeoutError("no frame in 10 s")


def red(image):
    """Returns the middle of what is red, pixels."""
    blue, green, red = (image[..., channel].astype(int) for channel in range(3))
    rows, columns = np.nonzero((red > 150) & (green < 70) & (blue < 70))
    return [float(columns.mean()), float(rows.mean())]


def main(port):
    start_pulseaudio()
    found = {}
    with ReachyMini(port=port, connection_mode="localhost_only") as robot:
        found["backend"] = robot.media.backend.value
        robot.wake_up()

        image = frame(robot)
        found["frame"] = {"shape": list(image.shape), "type": str(image.dtype), "camera": robot.media.camera.camera_specs.name}
        begin, frames = time.monotonic(), 0
        while time.monotonic() - begin < 3:
            frames += robot.media.get_frame() is not None
        found["frames_per_second"] = frames / (time.monotonic() - begin)
        deadline, jpeg = time.monotonic() + 10, None
        while jpeg is None and time.monotonic() < deadline:
            jpeg = robot.media.get_frame_jpeg()
        found["jpeg"] = jpeg is not None and jpeg[:2] == b"\xff\xd8"

        # Away from the red block, which is straight ahead.
        robot.goto_target(create_head_pose(yaw=-18, pitch=5), duration=0.5)
        time.sleep(0.5)
        frame(robot)
        before = red(frame(robot))
        robot.look_at_image(int(before[0]), int(before[1]), duration=0.5)
        time.sleep(0.5)
        frame(robot)
        middle = robot.media.camera.K[:2, 2].tolist()
        found["look"] = {"before": before, "after": red(frame(robot)), "middle": middle}

        # The microphone hears another program.
        tone("/tmp/room.wav", 700, 4)
        player = subprocess.Popen(["paplay", "--device=room", "/tmp/room.wav"])
        robot.media.start_recording()
        heard, begin = [], time.monotonic()
        while time.monotonic() - begin < 2.5:
            sample = robot.media.get_audio_sample()
            if sample is not None:
                heard.append(sample)
            time.sleep(0.005)
        robot.media.stop_recording()
        player.wait()
        heard = np.concatenate(heard) if heard else np.zeros((0, 1), np.float32)
        rate = robot.media.get_input_audio_samplerate()
        found["recorded"] = {"rate": rate, "channels": heard.shape[1], "pitch": pitch(heard[-rate:, 0], rate)}

        # The speaker, as another program hears it.
        rate = robot.media.get_output_audio_samplerate()
        robot.media.start_playing()
        times = np.arange(4 * rate) / rate
        robot.media.push_audio_sample((0.3 * np.sin(2 * np.pi * 440 * times)).astype(np.float32))
        found["pushed"] = pitch(listen(3)[-RATE // 2 :], RATE)
        time.sleep(1.5)
        robot.media.stop_playing()
        tone("/tmp/file.wav", 1000, 5)
        robot.media.play_sound("/tmp/file.wav")
        time.sleep(0.5)
        found["played"] = pitch(listen(3)[-RATE // 2 :], RATE)

        # The head sways with the sound, and comes back.
        robot.goto_target(create_head_pose(), duration=0.5)
        time.sleep(0.3)
        robot.enable_wobbling()
        robot.media.play_sound("/tmp/file.wav")
        found["sway"] = max(away(robot) for _ in range(300) if time.sleep(0.01) is None)
        time.sleep(3)
        robot.disable_wobbling()
        time.sleep(1)
        found["sway_after"] = away(robot)

        # Gravity, and a turn to the left.
        still = robot.imu
        robot.goto_target(create_head_pose(yaw=-30), duration=0.5)
        began = time.monotonic()
        turn = threading.Thread(target=robot.goto_target, args=(create_head_pose(yaw=30),), kwargs={"duration": 1.0})
        turn.start()
        rates = []
        while time.monotonic() - began < 1.0:
            rates.append(robot.imu["gyroscope"][2])
            time.sleep(0.01)
        turn.join()
        found["imu"] = {"gravity": still["accelerometer"][2], "turn": max(rates), "temperature": still["temperature"]}

        robot.release_media()
        found["released"] = robot.media_released
        robot.acquire_media()
        found["acquired"] = [robot.media_released, list(frame(robot).shape)]

        # A second client gets the same frames.
        with ReachyMini(port=port, connection_mode="localhost_only") as other:
            found["two_clients"] = [list(frame(one).shape) for one in (robot, other)]
        robot.goto_target(antennas=[0.3, -0.3], duration=0.3)
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
