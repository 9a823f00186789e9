"""Loads scipy and OpenCV for tools, and uses once what they load on first use: a guest opens no file and starts no thread."""

import importlib

MODULES = """
cv2 scipy scipy.interpolate scipy.ndimage scipy.optimize scipy.signal scipy.signal.windows scipy.spatial
scipy.spatial.distance scipy.spatial.transform
""".split()


def install():
    for name in MODULES:
        importlib.import_module(name)
    work_in_one_thread()
    warm_up()


def work_in_one_thread():
    import cv2

    cv2.setNumThreads(0)
    cv2.ocl.setUseOpenCL(False)


def warm_up():
    import cv2
    import numpy
    from scipy import interpolate, ndimage, optimize, signal, spatial
    from scipy.spatial.transform import Rotation, Slerp

    turns = Rotation.from_euler("xyz", [[0, 0, 0], [10, 20, 30]], degrees=True)
    Slerp([0, 1], turns)(0.5).as_matrix(), (turns[0] * turns[1].inv()).as_quat(), turns.as_rotvec()
    points = numpy.arange(12.0)
    interpolate.CubicSpline(points, points**2)(0.5), interpolate.interp1d(points, points)(0.5)
    signal.filtfilt(*signal.butter(2, 0.2), numpy.arange(40.0)), signal.savgol_filter(points, 5, 2)
    signal.find_peaks([0, 1, 0]), signal.welch(numpy.arange(300.0))
    ndimage.gaussian_filter1d(points, 1.0), ndimage.label(numpy.eye(3))
    optimize.minimize(lambda x: (x**2).sum(), [1.0]), optimize.brentq(lambda x: x - 1, 0, 3)
    optimize.least_squares(lambda x: x - 1, [0.0])
    spatial.KDTree(numpy.eye(3)).query([0, 0, 1])
    picture = numpy.zeros((48, 64, 3), numpy.uint8)
    cv2.circle(picture, (30, 20), 9, (0, 0, 255), cv2.FILLED)
    cv2.putText(picture, "a", (5, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255))
    colours = cv2.cvtColor(cv2.GaussianBlur(cv2.resize(picture, (32, 24)), (5, 5), 0), cv2.COLOR_BGR2HSV)
    mask = cv2.inRange(colours, (0, 50, 50), (10, 255, 255))
    outlines, _ = cv2.findContours(cv2.erode(mask, None), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    [cv2.moments(outline) for outline in outlines]
    cv2.calcHist([colours], [0], None, [16], [0, 180]), cv2.Canny(picture, 50, 150)
