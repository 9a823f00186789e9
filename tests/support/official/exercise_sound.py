"""Plays sounds and sets the volume over the API of a controller that runs beside PulseAudio, and prints what PulseAudio says.

usage: exercise_sound.py PROGRAM      in a Debian 13 with PulseAudio; PROGRAM is `minismith`
"""

import json
import subprocess
import sys
import time

import requests
from exercise_media import RATE, listen, pitch, pulse, start_pulseaudio, tone


def percent(kind, device):
    text = pulse("pactl", f"get-{kind}-volume", device)
    return int(text.split("%")[0].split()[-1])


def main(program):
    start_pulseaudio()
    server = subprocess.Popen([program, "serve", "--robot", "mock", "--port", "0", "--json"], stdout=subprocess.PIPE, cwd="/tmp")
    url = "http://" + json.loads(server.stdout.readline())["listening"]
    ask = lambda method, path, **more: requests.request(method, url + path, timeout=20, **more)
    found = {}
    try:
        found["volume"] = ask("GET", "/api/volume/current").json()
        found["set"] = ask("POST", "/api/volume/set", json={"volume": 37}).json()
        found["sink"] = percent("sink", "speaker")
        pulse("pactl", "set-sink-volume", "speaker", "80%")
        found["after"] = ask("GET", "/api/volume/current").json()["volume"]
        found["microphone"] = ask("POST", "/api/volume/microphone/set", json={"volume": 55}).json()["volume"]
        found["source"] = percent("source", "room.monitor")
        found["too_much"] = ask("POST", "/api/volume/set", json={"volume": 101}).status_code
        ask("POST", "/api/volume/set", json={"volume": 100})

        tone("/tmp/clip.wav", 1000, 6)
        with open("/tmp/clip.wav", "rb") as file:
            found["upload"] = ask("POST", "/api/media/sounds/upload", files={"file": ("clip.wav", file)}).json()
        found["bad_upload"] = ask("POST", "/api/media/sounds/upload", files={"file": ("x.wav", b"nothing")}).status_code
        found["listed"] = ask("GET", "/api/media/sounds").json()
        found["play"] = ask("POST", "/api/media/play_sound", json={"file": "clip.wav"}).status_code
        time.sleep(0.5)
        found["played"] = pitch(listen(3)[-RATE // 2 :], RATE)
        found["stop"] = ask("POST", "/api/media/stop_sound").status_code
        time.sleep(1)
        found["stopped"] = pitch(listen(3)[-RATE // 2 :], RATE)
        found["missing"] = ask("POST", "/api/media/play_sound", json={"file": "nothing.wav"}).status_code
        found["outside"] = ask("POST", "/api/media/play_sound", json={"file": "/tmp/clip.wav"}).status_code
        found["deleted"] = [ask("DELETE", "/api/media/sounds/clip.wav").status_code for _ in range(2)]
    finally:
        server.terminate()
        server.wait(20)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
