"""What the official face detector finds in a picture, and what CenterNet says of it on Python's ONNX Runtime.

    detect.py MODELS PICTURE WIDTH HEIGHT THRESHOLD

PICTURE holds bytes, row by row, blue, green and red; neither side is longer than 512. One line of JSON:
{"faces": [[x, y, width, height, right eye x, y, left eye x, y, nose x, y], ...], "things": [[x1, y1, x2, y2, score, class], ...]}

The detector of reachy_mini would fetch its model: here that finds the one in MODELS. The package itself opens with the whole
SDK, which is not installed, so the one module is read alone.
"""

import importlib.machinery
import importlib.util
import json
import sys
import types
from pathlib import Path

import numpy as np
import onnxruntime

SIDE = 512


def face_detector(model):
    hub = types.ModuleType("huggingface_hub")
    hub.hf_hub_download = lambda *_, **__: model
    sys.modules[hub.__name__] = hub
    folder = importlib.machinery.PathFinder.find_spec("reachy_mini").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("face_detector", Path(folder) / "vision/face_detector.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.FaceDetector


def things(model, picture):
    height, width = picture.shape[:2]
    left, above = (SIDE - width) // 2, (SIDE - height) // 2
    square = np.zeros((1, SIDE, SIDE, 3), np.float32)
    square[0, above : above + height, left : left + width] = picture[:, :, ::-1]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    [[rows]] = onnxruntime.InferenceSession(model, options).run(None, {"tower_0/images": square})
    return (rows - np.array([left, above, left, above, 0, 0])).tolist()


def main(models, file, width, height, threshold):
    picture = np.fromfile(file, np.uint8).reshape(int(height), int(width), 3)
    detector = face_detector(f"{models}/face_detection_yunet.onnx")(score_threshold=float(threshold))
    faces = [[*one.bbox, *one.right_eye, *one.left_eye, *one.nose] for one in detector.detect(picture)]
    print(json.dumps({"faces": faces, "things": things(f"{models}/centernet.onnx", picture)}))


main(*sys.argv[1:])
