import ctypes
import os
import time

from src.kit import attempt, call

FUTURE = ctypes.byref((ctypes.c_long * 2)(4_000_000_000, 0))


def run(**_):
    return {
        "tried": {
            "clock_settime": attempt(time.clock_settime, time.CLOCK_REALTIME, 4_000_000_000),
            "settimeofday": attempt(call, "settimeofday", FUTURE, 0),
            "clock_settime of the kernel": attempt(call, "clock_settime", 0, FUTURE),
            "adjtimex": attempt(call, "adjtimex", ctypes.byref((ctypes.c_long * 26)(0x4000))),
            "time namespace": attempt(call, "unshare", 0x80),
            "clock of the board": attempt(os.open, "/dev/rtc0", os.O_RDWR),
            "wake alarm": attempt(lambda: call_alarm()),
        }
    }


def call_alarm():
    from src.kit import COLUMN, call_number

    return call_number((283, 85)[COLUMN], 9, 0)
