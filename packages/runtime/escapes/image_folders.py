"""Fills the disk through a folder that its image made writable, also with deleted files that it keeps open."""

import os

from src.kit import attempt

FOLDER = "/app/scratch"
BLOCK = bytes(1 << 20)
kept = []


def run(**_):
    return {"tried": {f"write to {FOLDER}": attempt(fill)}}


def fill():
    number = 0
    while True:
        number += 1
        path = f"{FOLDER}/{number}"
        kept.append(open(path, "wb", buffering=0))
        for _ in range(8):
            kept[-1].write(BLOCK)
        if number % 2:
            os.unlink(path)
        if len(kept) > 500:
            kept.pop(0).close()
