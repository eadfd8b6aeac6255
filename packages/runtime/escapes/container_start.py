"""Runs a hostile program in a container: reads its input from files and writes its answer as the result."""

import importlib
import json
import os
import sys

FOLDER = "/var/runtime/input"

sys.path.insert(0, "/app")
# Opened first, as some programs close the folder.
with open("/var/runtime/output/output.json", "w") as result:
    os.chdir("/var/runtime/output")
    given = {}
    for name in os.listdir(FOLDER):
        with open(f"{FOLDER}/{name}") as file:
            given[name.removesuffix(".json")] = json.load(file)
    json.dump(importlib.import_module(f"src.{os.environ['ESCAPE']}").run(**given), result)
