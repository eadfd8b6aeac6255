"""Find the modules that a service imports from the text of its files: python3 -I -S -B /runner/read_imports.py

Writes a JSON array to stdout. No code of the service runs, so none can write there.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0])
    from kethub_runtime.module_imports import main

    main(sys.argv[1:])
