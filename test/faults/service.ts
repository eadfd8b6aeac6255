/** Number of executions and tasks of workflows: more than one run starts, and fewer than a project may have files. */
export const marks = { executions: { from: 1, to: 3_700 }, tasks: { from: 3_700, to: 4_900 } } as const;

/** The most frequent first. `cancel` and `stubborn` are cancelled; `stubborn` ignores the signal. */
export const modes = ['ok', 'files', 'raise', 'large', 'cancel', 'orphan', 'stubborn'] as const;
export type Mode = (typeof modes)[number];

/** Bytes: longer than a result that a database row holds. */
export const PADDING = 'p'.repeat(100_000);

/** Opens its mark, which is counted from outside. Its input says how long it lives and how it ends. */
export const witness: Readonly<Record<string, string>> = {
  'src/__init__.py': '',
  'src/program.py': `
import pathlib
import signal
import subprocess
import sys
import time


def run(seconds=0, mark=0, mode="ok", padding=""):
    open(f"/app/marks/{mark}").close()
    print("began", mark, flush=True)
    if mode == "orphan":
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(300)"], start_new_session=True)
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        seconds = 20
    time.sleep(seconds)
    if mode == "files":
        pathlib.Path("/var/runtime/output/data.bin").write_bytes(b"x" * 200_000)
    for piece in range(0, len(padding), 1000):
        print(padding[piece : piece + 1000], flush=True)
    print("ended", mark, flush=True)
    if mode == "raise":
        raise ValueError("as told")
    return {"mark": mark, "padding": padding}
`,
  ...Object.fromEntries(Array.from({ length: marks.tasks.to }, (_, mark) => [`marks/${mark}`, ''])),
};

const REPORT = `
import os
import urllib.request
import uuid


def report(mark):
    address = f"http://{os.environ['REPORTS_TO']}/{mark}/{uuid.uuid4()}"
    for _ in range(600):
        try:
            return urllib.request.urlopen(address, timeout=10).close()
        except OSError:
            time.sleep(0.1)
    raise OSError("nobody took the report")

`;

/**
 * The witness for machines where nobody sees which files it opens. Each run reports itself to the host that the version
 * declares, before anything else.
 */
export const reportingWitness: Readonly<Record<string, string>> = {
  'src/__init__.py': '',
  'src/program.py': (witness['src/program.py'] ?? '')
    .replace(/^ *open\(.*\n/m, '    report(mark)\n')
    .replace('import time\n', `import time\n${REPORT}`),
};
