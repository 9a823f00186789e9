"""An app that streams targets for ever."""

import json
import math
import time
import urllib.request

print("READY", flush=True)
while True:
    target = {"target_antennas": [math.sin(time.time()), math.cos(time.time())]}
    request = urllib.request.Request(
        "http://127.0.0.1:8000/api/move/set_target", json.dumps(target).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=10).read()
    time.sleep(0.02)
