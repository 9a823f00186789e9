# stopped: forged
import os
import struct


def deep_frames() -> None:
    value = b"[" * 100_000 + b"]" * 100_000
    words = b'{"turn":"done","value":' + value + b',"printed":"","spent":0,"lines":[]}'
    os.write(3, struct.pack("<I", len(words)) + words)
    while True:
        pass
