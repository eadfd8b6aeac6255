"""Inspect a service at build time: python3 -I -S -u -B /runner/inspect_service.py

Imports src/program.py and writes one JSON object to stdout: {"interface": ..., "modules": [...]} or {"problem": ...}.
Output of the service during its import goes to stderr.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0])
    from kethub_runtime.inspection import main

    main(sys.argv[1:])
