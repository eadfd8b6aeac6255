import os
import signal
import time

from src.kit import linger, take_name


def run(mark, **_):
    take_name(mark)
    if os.fork() == 0:
        linger(mark)
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
