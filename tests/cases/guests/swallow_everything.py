# stopped: turn_seconds
def swallow_everything() -> None:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
