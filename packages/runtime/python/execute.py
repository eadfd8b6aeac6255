"""Run one execution of a service: python3 -I -S -u -B /runner/execute.py [--import a,b]

This file is compiled at every start (a script has no cached bytecode), so it only hands over.
"""

import sys

# A child that multiprocessing spawns runs this file again under another name, and must not run the service.
if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0])
    from kethub_runtime.execution import main

    main(sys.argv[1:])
