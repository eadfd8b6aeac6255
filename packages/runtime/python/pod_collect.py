"""Bring what a program left from its pod to the platform. It waits for the end of the program, which is SIGTERM here."""

import base64
import http.client
import os
import signal
import stat
import sys
import time
import urllib.parse

HOME = "/run/kethub"
URL = urllib.parse.urlsplit(os.environ["PLATFORM_URL"])
ID = os.environ["EXECUTION_ID"]
POOLS = [name for name in os.environ["WRITABLE_POOLS"].split(",") if name]
MOST = 200_000  # entries of a folder that are looked at; the platform refuses far fewer
with open(HOME + "/secret/token", encoding="utf-8") as file:
    HEADERS = {"Authorization": "Bearer " + file.read(), "X-Kethub-Pod": os.environ["POD_UID"]}
connection = None


def connect(timeout):
    """Return a connection to the platform. Over TLS it is the one that its certificates prove, or none."""
    if URL.scheme != "https":
        return http.client.HTTPConnection(URL.hostname, URL.port, timeout=timeout)
    import ssl

    context = ssl.create_default_context(cadata=os.environ.get("PLATFORM_CERTIFICATES"))
    return http.client.HTTPSConnection(URL.hostname, URL.port, timeout=timeout, context=context)


def send(method, path, body=None, size=0):
    """Return the status of a request, and repeat it while the platform is away."""
    global connection
    attempt = 0
    while True:
        try:
            if connection is None:
                connection = connect(300)
            if body is not None:
                body.seek(0)
            headers = {**HEADERS, "Content-Length": str(size)}
            connection.request(method, "/pods/" + urllib.parse.quote(ID) + path, body, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status < 500:
                return answer.status
        except (OSError, http.client.HTTPException) as error:
            print("The platform is not reached:", error, file=sys.stderr)
        connection = None
        attempt += 1
        time.sleep(min(5, 0.1 * 2 ** min(attempt, 10)))


def put(path, target):
    """Send one entry: a regular file with its content, of anything else only its kind. False when no more is taken."""
    try:
        kind = os.lstat(path)
        if stat.S_ISREG(kind.st_mode) and kind.st_nlink == 1:
            if not kind.st_mode & 0o400:
                os.chmod(path, 0o600)
            with open(path, "rb") as body:
                size = os.fstat(body.fileno()).st_size
                return send("PUT", target, body, size) < 300
    except OSError as error:
        print("not collected:", path, error, file=sys.stderr)
        return True
    other = "link" if stat.S_ISLNK(kind.st_mode) else "folder"
    return send("PUT", target + "?kind=" + other) < 300


def put_all(folder, target):
    try:
        os.chmod(folder, 0o700)
        names = sorted(entry.name for _, entry in zip(range(MOST), os.scandir(os.fsencode(folder))))
    except OSError as error:
        print("not collected:", folder, error, file=sys.stderr)
        return
    for name in names:
        encoded = base64.urlsafe_b64encode(name).decode().rstrip("=")
        if not put(os.path.join(os.fsencode(folder), name), target + "/" + encoded):
            return


def collect(*_):
    put_all(HOME + "/output/output", "/output")
    for pool in POOLS:
        put_all(HOME + "/pools/" + pool, "/pools/" + pool)
    written = HOME + "/exchange/result/written"
    if os.path.lexists(written):
        put(written, "/written")
    send("POST", "/done")
    os._exit(0)


signal.signal(signal.SIGTERM, collect)
# The program waits for this file: a signal that came before would be lost, as the first process of a container ignores it.
open(HOME + "/exchange/result/ready", "w").close()
while True:
    signal.pause()
