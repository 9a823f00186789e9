# stopped: turn_seconds
import os
import struct


def half_a_frame() -> None:
    os.write(3, struct.pack("<I", 1000) + b'{"turn":')
    while True:
        pass
