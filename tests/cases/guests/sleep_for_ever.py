# stopped: stage_seconds
import time


def sleep_for_ever() -> None:
    while True:
        time.sleep(0.25)
