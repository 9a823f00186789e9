# stopped: forged
import os


def forge_a_length() -> None:
    os.write(3, b"\xff\xff\xff\xff")
    while True:
        pass
