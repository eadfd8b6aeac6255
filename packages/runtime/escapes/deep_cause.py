import os

DEEP = b"[" * 5_000 + b"]" * 5_000


def run(**_):
    cause = b'E{"type": "x", "title": "t", "detail": "d", "deep": ' + DEEP + b"}"
    for descriptor in [*range(3, 10), 1000]:
        try:
            os.write(descriptor, cause)
        except OSError:
            continue
    with open("/var/runtime/output/output.json", "wb") as file:
        file.write(cause[1:])
    os._exit(0)
