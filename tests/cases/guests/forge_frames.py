# stopped: forged
import os
import struct


def forge_frames() -> None:
    words = b'{"turn":"asks","cue":{"cue":"launch"},"spent":0,"printed":""}'
    os.write(3, struct.pack("<I", len(words)) + words)
    while True:
        pass
