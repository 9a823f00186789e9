"""Runs a program of the official package, which it is given with its arguments, with a virtual joystick that a script holds.

usage: joystick.py EXAMPLE      pygame sees one joystick: left, then right, then its second button

SDL, which pygame brings, has virtual joysticks of its own, so the kernel needs none.
"""

import ctypes
import runpy
import sys
import threading
import time
from pathlib import Path

import pygame

GAMEPAD, AXES, BUTTONS = 1, 4, 4
FULL = 32767
# What the hand does: seconds to wait, and what it does then.
SCRIPT = [(2, "axis", 0, -FULL), (2, "axis", 0, 0), (0, "axis", 3, FULL // 2), (2, "axis", 3, 0), (1, "button", 1, 1)]

sdl = ctypes.CDLL(str(next((Path(pygame.__file__).parent.parent / "pygame.libs").glob("libSDL2-2*"))))
sdl.SDL_JoystickOpen.restype = ctypes.c_void_p
sdl.SDL_JoystickSetVirtualAxis.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int16]
sdl.SDL_JoystickSetVirtualButton.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint8]


def hold(joystick):
    for seconds, what, number, value in SCRIPT:
        time.sleep(seconds)
        set_value = sdl.SDL_JoystickSetVirtualAxis if what == "axis" else sdl.SDL_JoystickSetVirtualButton
        set_value(joystick, number, value)


def with_joystick(start):
    def started():
        start()
        device = sdl.SDL_JoystickAttachVirtual(GAMEPAD, AXES, BUTTONS, 0)
        assert device >= 0, "SDL has no virtual joysticks"
        threading.Thread(target=hold, args=[sdl.SDL_JoystickOpen(device)], daemon=True).start()

    return started


pygame.joystick.init = with_joystick(pygame.joystick.init)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
