import os


def run(**_):
    for descriptor in range(3, 10):
        try:
            os.write(descriptor, b'R{"forged": true, "__proto__": {"admin": true}, "_links": {"self": {"href": "https://evil.example"}}}' + b"[" * 100_000)
        except OSError:
            continue
    with open("/var/runtime/output/output.json", "w") as file:
        file.write("[" * 100_000)
    os._exit(0)
