/** A service that acts as its `params` say, for tests of the platform. */
export const probe: Readonly<Record<string, string>> = {
  'src/__init__.py': '',
  'src/program.py': `
import logging, os, pathlib, sys, time

from kethub.secret import SecretValue

OUTPUT = pathlib.Path("/var/runtime/output")


def run(data=None, params=None, token: SecretValue = None, shots: int = 1):
    what = params or {}
    for line in what.get("print", []):
        print(line, flush=True)
    for name, text in what.get("files", {}).items():
        (OUTPUT / name).write_text(text)
    if "warn" in what:
        logging.getLogger("probe").warning(what["warn"])
    if "sleep" in what:
        time.sleep(what["sleep"])
    if "exit" in what:
        os._exit(what["exit"])
    if "raise" in what:
        raise ValueError(what["raise"])
    if token is not None:
        return {"length": len(token.unwrap())}
    if "count" in what:
        # One line per run, where the test can see whether it ran twice: nowhere else can code leave a trace.
        print("ran once", flush=True)
    return what["return"] if "return" in what else {"data": data}
`,
};
