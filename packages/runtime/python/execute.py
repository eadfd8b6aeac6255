"""Run one execution of a service: python3 -I -S -u -B /runner/execute.py [--import a,b]

A script has no cached bytecode and is compiled at every start, so this file only calls the module.
"""

import sys

# A child that multiprocessing spawns imports this file under another name, and must not run the service.
if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0])
    from kethub_runtime.execution import main

    main(sys.argv[1:])
