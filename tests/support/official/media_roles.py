"""The official package's side of `compare_media`, in a Debian with GStreamer.

usage: media_roles.py serve PORT      the official media server; its camera is a stream of JPEG images at this port
       media_roles.py model           prints the lens of the robot's camera as our `camera.calibration`
       media_roles.py read SECONDS    reads frames with the SDK's class, and prints their rate and age
"""

import json
import sys
import time

from stamps import BITS, now_ms, stamp_of


def serve(port):
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gst
    from reachy_mini.media import media_server
    from reachy_mini.media.camera_constants import ReachyMiniWirelessCamSpecs

    Gst.init(None)
    [server_class] = [it for it in vars(media_server).values() if hasattr(it, "_build_v4l2_source")]
    # There is no camera device. What decodes and shares its images is unmodified.
    media_server.get_video_device = lambda: ("stream", ReachyMiniWirelessCamSpecs())
    source = (
        f"tcpclientsrc host=127.0.0.1 port={port} do-timestamp=true ! image/jpeg,framerate=30/1 ! jpegparse ! queue "
        "! jpegdec ! videorate ! videoconvert"
    )
    server_class._build_v4l2_source = lambda self, path: [Gst.parse_bin_from_description(source, True)]
    server_class._configure_audio = lambda self, *rest: None
    server_class(enable_turn=False).start()
    print("serving", flush=True)
    time.sleep(3600)


def model():
    from reachy_mini.media.camera_constants import ReachyMiniLiteCamSpecs

    specs = ReachyMiniLiteCamSpecs()
    # The size at which the official package has measured it.
    print(json.dumps([3840, 2592, specs.K[0, 0], specs.K[1, 1], specs.K[0, 2], specs.K[1, 2], *specs.D.ravel()[:12]]))


def read(seconds):
    from reachy_mini.media.camera_constants import ReachyMiniWirelessCamSpecs
    from reachy_mini.media.camera_gstreamer import GStreamerCamera

    camera = GStreamerCamera(camera_specs=ReachyMiniWirelessCamSpecs())
    camera.open()
    last, ages, begin = None, [], time.monotonic() + 3
    while time.monotonic() < begin + seconds:
        frame = camera.read()
        stamp = None if frame is None else stamp_of(frame)
        if stamp in (None, last):
            time.sleep(0.0005)
            continue
        if last is not None and time.monotonic() > begin:
            ages.append((now_ms() - stamp) % (1 << BITS))
        last = stamp
    camera.close()
    ages.sort()
    print(json.dumps({"fps": len(ages) / seconds, "age_ms": ages[len(ages) // 2], "frames": len(ages)}))


if __name__ == "__main__":
    {"model": model, "serve": lambda: serve(int(sys.argv[2])), "read": lambda: read(float(sys.argv[2]))}[sys.argv[1]]()
