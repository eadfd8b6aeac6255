import os

from src.kit import linger


def run(mark, **_):
    for _ in range(10):
        if os.fork() == 0:
            if os.fork() == 0:
                linger(mark)
            os._exit(0)
    return {"tried": {}}
