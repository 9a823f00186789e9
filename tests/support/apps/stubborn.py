"""An app that does not end, with children that do not end either."""

import signal
import subprocess
import time

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["/bin/sh", "-c", "trap '' INT TERM HUP; while true; do sleep 0.1; done"], start_new_session=True)
print("READY", flush=True)
while True:
    time.sleep(1)
