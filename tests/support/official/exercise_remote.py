"""Uses the official SDK, unmodified, as on another computer: camera and sound come by WebRTC. Prints one JSON document.

usage: exercise_remote.py HOST SECONDS TONE_HZ      with GStreamer 1.28 and its plugin `webrtcsrc`
"""

import json
import sys
import time

import numpy as np
from reachy_mini import ReachyMini


def main(host, seconds, tone_hz):
    frames, shape, heard, said = 0, None, [], 0
    with ReachyMini(host=host, connection_mode="network") as mini:
        mini.media.start_recording()
        # The SDK can talk only once it has the robot's own sound.
        time.sleep(3)
        mini.media.start_playing()
        rate = mini.media.get_output_audio_samplerate()
        second = (0.4 * np.sin(2 * np.pi * tone_hz * np.arange(rate) / rate)).astype(np.float32)
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            frame = mini.media.get_frame()
            if frame is not None:
                frames, shape = frames + 1, frame.shape
            sample = mini.media.get_audio_sample()
            if sample is not None:
                heard.append(np.asarray(sample)[:, 0])
            if said < time.monotonic() - began - 1:
                mini.media.push_audio_sample(second)
                said += 1
            time.sleep(0.02)
        mini.goto_target(antennas=[0.5, -0.5], duration=0.6)
        antennas = list(mini.get_present_antenna_joint_positions())
        sound = np.concatenate(heard)[-2 * mini.media.get_input_audio_samplerate():]
        power = np.abs(np.fft.rfft(sound))
        heard_hz = float(power.argmax() * mini.media.get_input_audio_samplerate() / len(sound))
    print(json.dumps({"frames": frames, "shape": shape, "heard_hz": heard_hz, "said_s": said, "antennas": antennas}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
