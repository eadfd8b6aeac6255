"""The platform's side of a Python service: reads one job, calls `run`, and reports the outcome.

It is written for a short start: the interpreter alone takes 6.5 ms, `import json` adds 7, `typing` 10, `logging` 13,
`inspect` 12. Modules that a plain `run(data, params)` does not need are imported where they are used.
"""
