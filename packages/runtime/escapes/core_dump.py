import os
import signal


def run(secret, **_):
    kept = secret * 1000
    os.chdir("/var/runtime/output")
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT):
        if os.fork() == 0:
            os.kill(os.getpid(), number)
        os.wait()
    left = [name for name in os.listdir(".") + os.listdir("/tmp") if name.startswith("core")]
    return {"tried": {"a core dump": f"done: {left}" if left else "refused: there is none"}, "seen": len(kept)}
