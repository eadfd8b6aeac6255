import os
import subprocess
import sys


def run(**_):
    noise = subprocess.run(["/bin/sh", "-c", "true"], capture_output=True, text=True).stderr
    return {"tried": {"code at the start of Python": "done: it ran" if "escaped_startup" in sys.modules or os.path.exists("/tmp/escaped") else "refused: not run"}, "seen": noise[:500]}
