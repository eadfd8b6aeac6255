"""The platform's side of a Python service: reads one job, calls `run`, reports what came of it.

Start-up time is the point of its shape: the interpreter alone takes 6.5 ms, `import json` adds 7, `typing` 10,
`logging` 13, `inspect` 12. Everything that a plain `run(data, params)` does not need is imported where it is used.
"""
