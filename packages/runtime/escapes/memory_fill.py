import os

from src.kit import take_name


def run(mark, **_):
    take_name(mark)
    for _ in range(8):
        if os.fork() == 0:
            kept = []
            while True:
                kept.append(bytearray(b"x") * (4 << 20))
    ends = [os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(8)]
    return {"tried": {"all memory": f"refused: {ends}" if all(ends) else f"done: {ends}"}}
