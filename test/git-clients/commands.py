"""Runs the command of client.ts that the arguments name."""

import sys


def run(**commands):
    try:
        commands[sys.argv[1]](*sys.argv[2:])
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
