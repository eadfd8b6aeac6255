from src.kit import attempt, call


def run(mark, **_):
    name = mark.encode()
    tried = {f"add to keyring {ring}": attempt(call, "add_key", b"user", name, b"escaped", 7, ring) for ring in (-1, -2, -3, -4, -5)}
    tried["find"] = attempt(call, "request_key", b"user", name, 0, -3)
    for operation in range(0, 32):
        tried[f"keyctl {operation}"] = attempt(call, "keyctl", operation, -3, 0, 0, 0)
    return {"tried": tried}
