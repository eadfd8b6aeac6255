import os


def run(**_):
    os.makedirs("deep/er")
    for number in range(100_000):
        with open(f"deep/er/{number}", "wb", buffering=0) as file:
            file.write(bytes(1 << 20))
    return {"tried": {"100 GB": "done: all of it"}}
