"""Fills the disk with files that no folder shows: open ones, mapped ones, and some that never had a name."""

import mmap
import os
import time

SIZE = 16 << 20


def run(**_):
    kept = []
    for number in range(6400):
        descriptor = (open_and_unlink, open_without_name)[number % 2]()
        for _ in range(SIZE >> 20):
            os.write(descriptor, bytes(1 << 20))
        if number % 3 == 0:
            kept.append(mmap.mmap(descriptor, 4096))
            os.close(descriptor)
        print("holds", (number + 1) * SIZE, flush=True)
        if number == 900:
            time.sleep(30)
    return {"tried": {"100 GB without a name": "done: all of it"}}


def open_and_unlink():
    descriptor = os.open("nameless", os.O_CREAT | os.O_RDWR)
    os.unlink("nameless")
    return descriptor


def open_without_name():
    return os.open(".", os.O_TMPFILE | os.O_RDWR)
