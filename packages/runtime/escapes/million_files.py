import os

from src.kit import take_name


def run(mark, **_):
    take_name(mark)
    for folder in range(1000):
        os.mkdir(str(folder))
        for number in range(1000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
    return {"tried": {"a million files": "done: all of them"}}
