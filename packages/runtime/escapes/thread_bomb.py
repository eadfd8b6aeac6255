import threading
import time

from src.kit import take_name


def run(mark, **_):
    take_name(mark)
    threading.stack_size(32768)
    made = 0
    try:
        while made < 5000:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            made += 1
    except RuntimeError:
        return {"tried": {"5,000 threads": f"refused: after {made}"}}
    return {"tried": {"5,000 threads": f"done: {made}"}}
