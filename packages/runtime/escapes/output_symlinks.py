import os


def run(paths, **_):
    os.symlink("/etc/passwd", "passwd")
    os.symlink("/", "root")
    os.symlink("../../../../../../etc/shadow", "shadow")
    os.symlink("self-loop", "self-loop")
    os.symlink("/proc/self/environ", "environ")
    os.symlink("/proc/1/root", "first-root")
    for number, path in enumerate(paths):
        os.symlink(path, f"canary-{number}")
    os.symlink(".", "here")
    os.mkdir("folder")
    os.symlink(paths[0], "folder/canary")
    open("honest.txt", "w").write("honest")
    return {"tried": {}}
