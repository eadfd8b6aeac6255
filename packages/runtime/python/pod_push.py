"""Bring a built image to the registry, and report it. Runs in a pod after the build, which it does not trust.

The image is an OCI layout on the disk. Declarations of volumes are removed from it: a node would give each one a disk
without a limit.
"""

import gzip
import hashlib
import json
import os
import stat
import subprocess
import sys
import tarfile
import time
import zlib

LAYOUT = os.environ.get("LAYOUT", "/storage/layout")
BLOBS = LAYOUT + "/blobs/sha256"
REPORT = os.environ.get("REPORT", "/run/kethub/report/written")
IMAGE = os.environ["IMAGE"]
IMAGE_BYTES = int(os.environ["IMAGE_BYTES"])
CREDENTIAL = "/run/kethub/push/config.json"
JSON_BYTES = 4_000_000  # of a manifest or a configuration
COMMAND_BYTES = 64_000  # of ENTRYPOINT and CMD, which become a part of every pod
MOST_LAYERS = 500
MOST_ENTRIES = 5_000_000  # of all layers
ATTEMPTS = 6  # to reach the registry, with pauses of up to half a minute
REFUSALS = ("unauthorized", "denied", "forbidden", "authentication required", "insufficient_scope")
# Errors of reading a damaged image.
FAULTS = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, RecursionError, tarfile.TarError, zlib.error)


class Refused(Exception):
    """The image is not taken, for a reason that its owner or the operator can change."""

    def __init__(self, kind, detail):
        super().__init__(detail)
        self.kind = kind


def damaged(what):
    return Refused("image-build-failed", "The build left no usable image: " + what + ".")


def opened(path):
    """Open a regular file of the layout, never what a link names."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise damaged("a part is no file")
    return os.fdopen(file, "rb")


def read(path):
    with opened(path) as file:
        text = file.read(JSON_BYTES + 1)
    if len(text) > JSON_BYTES:
        raise damaged("its description is too long")
    return json.loads(text)


def blob(descriptor):
    algorithm, _, digest = descriptor["digest"].partition(":")
    if algorithm != "sha256" or len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise damaged("a digest is not valid")
    return BLOBS + "/" + digest


def write(content):
    """Write a blob, and return its descriptor."""
    text = json.dumps(content).encode()
    digest = hashlib.sha256(text).hexdigest()
    replace(BLOBS + "/" + digest, text)
    return {"digest": "sha256:" + digest, "size": len(text)}


def replace(path, text):
    if os.path.lexists(path):
        os.unlink(path)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "wb") as target:
        target.write(text)


class Counted:
    """A layer without its compression, of which only so many bytes are read."""

    def __init__(self, file, left):
        self.file, self.left = file, left

    def read(self, size=-1):
        part = self.file.read(min(size, 1 << 20) if size >= 0 else 1 << 20)
        self.left -= len(part)
        if self.left < 0:
            raise Refused("image-limit-exceeded", f"The image has more than {IMAGE_BYTES} bytes; at most that many are accepted.")
        return part


def examine(layers, volumes):
    """Return which volumes hold something, and the bytes of all layers."""
    held = {path: set() for path in volumes}
    left, entries = IMAGE_BYTES, 0
    for layer in layers:
        with opened(blob(layer)) as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            counted = Counted(gzip.GzipFile(fileobj=file) if packed else file, left)
            with tarfile.open(fileobj=counted, mode="r|") as archive:
                for entry in archive:
                    entries += 1
                    if entries > MOST_ENTRIES:
                        raise Refused("image-limit-exceeded", f"The image has more than {MOST_ENTRIES} files.")
                    archive.members = []
                    note(held, os.path.normpath("/" + entry.name.lstrip("/")), entry.isdir())
            while counted.read():
                pass
            left = counted.left
    return [path for path in volumes if held[path]], IMAGE_BYTES - left


def note(held, name, is_folder):
    folder, base = os.path.split(name)
    for path, names in held.items():
        if base == ".wh..wh..opq":
            names.difference_update([one for one in names if (one + "/").startswith(folder.rstrip("/") + "/")])
        elif base.startswith(".wh."):
            gone = os.path.join(folder, base[4:])
            names.difference_update([one for one in names if one == gone or one.startswith(gone + "/")])
        elif name.startswith(path + "/"):
            names.add(name)
        elif name == path and not is_folder:
            names.clear()


def prepare():
    """Check the image and write it anew without volumes. Return what its pods need to know of it."""
    for folder in (LAYOUT, LAYOUT + "/blobs", BLOBS):
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise damaged("a folder is missing")
    index = read(LAYOUT + "/index.json")
    manifest = read(blob(index["manifests"][0]))
    config = read(blob(manifest["config"]))
    # A layer may also name addresses that it is fetched from, which nobody has judged.
    layers = [{name: layer[name] for name in ("mediaType", "digest", "size")} for layer in manifest["layers"]]
    if len(layers) > MOST_LAYERS:
        raise Refused("image-limit-exceeded", f"The image has {len(layers)} layers; at most {MOST_LAYERS} are accepted.")
    settings = config.get("config") or {}
    command = [*(settings.get("Entrypoint") or []), *(settings.get("Cmd") or [])]
    if not all(isinstance(part, str) for part in command):
        raise damaged("its command is no list of texts")
    if not command:
        raise Refused("image-without-command", "The Dockerfile has neither CMD nor ENTRYPOINT, so nothing would run. Add one.")
    if sum(len(part.encode()) for part in command) > COMMAND_BYTES:
        raise Refused("image-build-failed", f"ENTRYPOINT and CMD have more than {COMMAND_BYTES} bytes. Put the program into a file.")
    volumes = sorted({os.path.normpath("/" + path.strip("/")) for path in settings.get("Volumes") or {}} - {"/"})[:100]
    filled, size = examine(layers, volumes)
    for name in ("Volumes", "Healthcheck", "StopSignal"):
        settings.pop(name, None)
    written = write({**config, "config": settings})
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **written},
        "layers": layers,
    }
    name = {"org.opencontainers.image.ref.name": "built"}
    described = {"mediaType": manifest["mediaType"], **write(manifest), "annotations": name}
    replace(LAYOUT + "/index.json", json.dumps({"schemaVersion": 2, "manifests": [described]}).encode())
    return {
        "command": command,
        "volumes": [path for path in volumes if path not in filled and usable(path)],
        "filled": filled,
        "bytes": size,
        "platform": f"{config.get('os', 'linux')}/{config.get('architecture', 'unknown')}",
    }


def usable(path):
    """True for a folder that may be memory: nothing of the platform is below it, and it is below nothing of it."""
    taken = ("/tmp", "/var/runtime", "/run/kethub", "/dev", "/proc", "/sys")
    return len(path) < 500 and ":" not in path and not any(
        (path + "/").startswith(one + "/") or (one + "/").startswith(path + "/") for one in taken
    )


def push():
    """Bring the image to the registry and return its digest. A registry that is away is asked again."""
    certificates = "/tmp/certificates"
    os.makedirs(certificates, exist_ok=True)
    if os.environ.get("CERTIFICATES"):
        with open(certificates + "/ca.crt", "w", encoding="utf-8") as file:
            file.write(os.environ["CERTIFICATES"])
    command = ["skopeo", "--policy", "/etc/containers/policy.json", "--tmpdir", "/tmp", "copy", "--quiet"]
    command += ["--digestfile", "/tmp/digest", "--dest-cert-dir", certificates, "--format", "oci"]
    command += ["--dest-tls-verify=" + ("false" if os.environ["PLAIN"] == "true" else "true")]
    command += ["--dest-authfile", CREDENTIAL] if os.path.exists(CREDENTIAL) else ["--dest-no-creds"]
    command += ["oci:" + LAYOUT + ":built", "docker://" + IMAGE]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/storage"}
    for attempt in range(ATTEMPTS):
        ended = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if ended.returncode == 0:
            with open("/tmp/digest", encoding="utf-8") as file:
                return file.read().strip()
        words = " ".join(ended.stderr.decode("utf-8", "replace").split())[-1_000:]
        print(words, file=sys.stderr)
        if any(one in words.lower() for one in REFUSALS) or attempt + 1 == ATTEMPTS:
            break
        time.sleep(min(30, 2 ** (attempt + 1)))
    raise Refused("push-failed", "The registry does not take the image: " + words)


def main():
    try:
        report = prepare()
        text = "R" + json.dumps({**report, "digest": push()})
    except Refused as refusal:
        text = "E" + json.dumps({"type": refusal.kind, "title": "The image is not taken", "detail": str(refusal)})
    except FAULTS as error:
        text = "E" + json.dumps({"type": "image-build-failed", "title": "No image", "detail": str(damaged(repr(error)[:300]))})
    replace(REPORT, text.encode())


main()
