import os


def run(**_):
    for name in (b"line\nbreak", b"\xff\xfe", b"escape\x1b[31m", b"back\\slash", "\u202etxt.exe".encode(), b"self", b"status", b"<script>alert(1)</script>", b"a" * 255, b".hidden", b"..."):
        with open(name, "wb") as file:
            file.write(b"x")
    for mode, name in ((0o000, "unreadable"), (0o7777, "sticky")):
        open(name, "w").write("x")
        os.chmod(name, mode)
    deep = os.open(".", os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d" * 200, dir_fd=deep)
        deep, before = os.open("d" * 200, os.O_RDONLY, dir_fd=deep), deep
        os.close(before)
    open("honest.txt", "w").write("honest")
    os.chmod(".", 0)
    return {"tried": {}}
