"""List the imports of a service that its requirements.txt does not bring: python3 -I -S -u -B check_requirements.py"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/")[0])
    from kethub_runtime.requirements_check import main

    main(sys.argv[1:])
