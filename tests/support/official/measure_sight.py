"""Times the official face detector, and CenterNet on Python's ONNX Runtime, on orders that come line by line.

    measure_sight.py MODELS     first line {"file": ..., "width": ..., "height": ...}: bytes of a picture, row by row, blue, green
                                and red; then "faces N" or "things N": so many times, {"seconds": ..., "found": ...}

Standard input is a socket: orders come in on it, and an answer of one line of JSON goes back for each. One thread each, as ours.
"""

import importlib.machinery
import importlib.util
import json
import socket
import sys
import types
from pathlib import Path
from time import perf_counter

import numpy as np
import onnxruntime

SIDE = 512

channel = socket.socket(fileno=0).makefile("rw")
models = sys.argv[1]


def face_detector(model):
    hub = types.ModuleType("huggingface_hub")
    hub.hf_hub_download = lambda *_, **__: model
    sys.modules[hub.__name__] = hub
    folder = importlib.machinery.PathFinder.find_spec("reachy_mini").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("face_detector", Path(folder) / "vision/face_detector.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.FaceDetector()


work = json.loads(channel.readline())
width, height = work["width"], work["height"]
picture = np.fromfile(work["file"], np.uint8).reshape(height, width, 3)
faces = face_detector(f"{models}/face_detection_yunet.onnx")
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
centernet = onnxruntime.InferenceSession(f"{models}/centernet.onnx", options)


def things():
    # The same fit as ours for a picture that is no larger than the model's.
    square = np.zeros((1, SIDE, SIDE, 3), np.float32)
    left, above = (SIDE - width) // 2, (SIDE - height) // 2
    square[0, above : above + height, left : left + width] = picture[:, :, ::-1]
    [[rows]] = centernet.run(None, {"tower_0/images": square})
    return rows[rows[:, 4] >= 0.45]


sides = {"faces": lambda: faces.detect(picture), "things": things}
print(json.dumps({"ready": True}), file=channel, flush=True)
for line in channel:
    which, times = line.split()
    found = sides[which]()
    begun = perf_counter()
    for _ in range(int(times)):
        sides[which]()
    print(json.dumps({"seconds": perf_counter() - begun, "found": len(found)}), file=channel, flush=True)
