# stopped: forged
import os
import struct


def name_a_slot() -> None:
    words = b'{"turn":"asks","cue":{"cue":"frame","slot":4},"spent":0,"printed":""}'
    os.write(3, struct.pack("<I", len(words)) + words)
    while True:
        pass
