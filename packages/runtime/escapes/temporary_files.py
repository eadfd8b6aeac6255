import os

from src.kit import attempt


def run(**_):
    return {"tried": {"fill /tmp with files": attempt(touch), "fill /tmp with bytes": attempt(fill)}}


def touch():
    for number in range(1_000_000):
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))


def fill():
    for number in range(4000):
        with open(f"/tmp/block-{number}", "wb", buffering=0) as file:
            file.write(bytes(1 << 20))
