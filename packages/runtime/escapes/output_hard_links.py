import os

from src.kit import attempt


def run(paths, **_):
    sources = ["/etc/passwd", "/app/src/program.py", "/usr/bin/python3", "/proc/self/environ", "/dev/null", *paths]
    tried = {path: attempt(os.link, path, f"link-{number}") for number, path in enumerate(sources)}
    open("first", "w").write("twice")
    os.link("first", "second")
    open("honest.txt", "w").write("honest")
    return {"tried": tried}
