import os


def run(**_):
    for _ in range(300):
        os.write(1, b"y" * 99 + b"\n" + b"z" * 499_900)
        os.write(2, b"\n" * 1000)
    return {"tried": {}}
