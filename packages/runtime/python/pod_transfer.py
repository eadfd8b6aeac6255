"""Carry the input of an execution into its pod, and what its program leaves out of it. Runs in any image with Python.

It runs beside the program. The program waits for the file `ready`, and gives up when the file `refused` is there. A pod
may wait for its execution. Then the program sleeps until there is a line in the pipe `news`.
"""

import base64
import errno
import http.client
import itertools
import json
import os
import signal
import stat
import sys
import tarfile
import time
import urllib.parse

HOME = "/run/kethub"
RESULT = HOME + "/exchange/result/"
READY, REFUSED, WAITING, NEWS = (RESULT + name for name in ("ready", "refused", "waiting", "news"))
JOB = HOME + "/handover/job"
URL = urllib.parse.urlsplit(os.environ["PLATFORM_URL"])
ID = os.environ["EXECUTION_ID"]
HANDOVER = os.environ.get("HANDOVER", "frames")  # frames: for the Python side; text: as it is
WRITTEN = HOME + "/exchange/" + os.environ.get("WRITTEN", "result/written")
WAITS = os.environ.get("WAITS") == "yes"  # for an execution that does not exist yet
POOLS = [name for name in os.environ["WRITABLE_POOLS"].split(",") if name]
MOST = 200_000  # entries of a folder that are looked at; the platform refuses far fewer
ATTEMPTS = 120  # with pauses of up to five seconds: the platform may be restarted meanwhile
CUT_OFF = 900  # seconds for which a folder that is cut off in the middle is fetched again
LEAST = 10  # attempts in any case, and those after which a fault of this node, such as a full disk, ends it
OWN_FAULTS = [getattr(errno, name) for name in "ENOSPC EDQUOT EFBIG EROFS EACCES EPERM EIO ENOENT".split()]
connection = None


class Refused(Exception):
    """The platform does not let this pod run the program."""


def connect(timeout):
    """Return a connection to the platform. Over TLS it is the one that its certificates prove, or none."""
    if URL.scheme != "https":
        return http.client.HTTPConnection(URL.hostname, URL.port, timeout=timeout)
    import ssl

    context = ssl.create_default_context(cadata=os.environ.get("PLATFORM_CERTIFICATES"))
    return http.client.HTTPSConnection(URL.hostname, URL.port, timeout=timeout, context=context)


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


HEADERS = {"Authorization": "Bearer " + text(HOME + "/secret/token"), "X-Kethub-Pod": os.environ["POD_UID"]}


def ask(method, path):
    """Return an open answer. It tries again while the platform is away; a refusal ends the attempt to run."""
    why = ""
    for attempt in range(ATTEMPTS):
        try:
            opened = connect(60)
            opened.request(method, "/pods/" + urllib.parse.quote(ID) + path, None, HEADERS)
            answer = opened.getresponse()
        except (OSError, http.client.HTTPException) as error:
            why = str(error)
        else:
            if answer.status < 300:
                return answer
            why = str(answer.status) + " " + answer.read(500).decode("utf-8", "replace")
            if answer.status < 500:
                raise Refused("The platform does not give out this execution: " + why)
        time.sleep(min(5, 0.1 * 2 ** min(attempt, 10)))
    raise Refused("The platform is not reached: " + why)


def receive(part, folder):
    """Unpack one folder. A connection that is lost in the middle is made again, until the platform is back."""
    end = time.monotonic() + CUT_OFF
    for attempt in itertools.count(1):
        try:
            with tarfile.open(fileobj=ask("GET", "/parts/" + part), mode="r|") as archive:
                archive.extractall(folder)
            return
        except (OSError, tarfile.TarError, http.client.HTTPException) as error:
            is_own = getattr(error, "errno", None) in OWN_FAULTS
            if attempt >= LEAST and (is_own or time.monotonic() > end):
                raise Refused("The input was cut off again and again: " + str(error)) from error
            time.sleep(min(5, 0.1 * 2 ** min(attempt, 10)))


def fetch():
    parts = json.loads(ask("POST", "/claim").read())
    for folder in ("exchange/app", "exchange/deps", "exchange/runner", "exchange/report", "output/output"):
        os.makedirs(HOME + "/" + folder, exist_ok=True)
    for part, folder in parts.items():
        os.makedirs(HOME + "/" + folder, exist_ok=True)
        receive(part, HOME + "/" + folder)
    header = wait() if WAITS else text(HOME + "/secret/job").encode("utf-8")
    with open(JOB + ".part", "wb") as file:
        if HANDOVER == "text":
            file.write(header)
        else:
            for frame in (header, ask("GET", "/input").read()):
                file.write(str(len(frame)).encode() + b"\n" + frame)
    os.rename(JOB + ".part", JOB)


def wait_for_program():
    waited = 0
    while not os.path.exists(WAITING):
        time.sleep(0.02)
        waited += 1
        # The node may have asked this process to end before it listened. It starts no program then.
        if waited % 100 == 0:
            ask("POST", "/claim").read()


def wait():
    """Wait for the execution of this pod, and return what it is given. The platform answers at least twice a minute."""
    wait_for_program()
    while True:
        answer = ask("POST", "/wait")
        content = answer.read()
        if answer.status == 200:
            return content


def wake():
    """Wake the program. The pipe keeps the line for as long as this process has it open."""
    try:
        pipe = os.open(NEWS, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)
        # After a restart of this container, the program may have put anything in its place.
        if stat.S_ISFIFO(os.fstat(pipe).st_mode):
            os.write(pipe, b"\n")
    except OSError:
        pass  # There is none in most pods.


def begin():
    """Let the program begin. The platform records it first: it never takes a program that ran for one that did not."""
    try:
        if not os.path.exists(JOB):
            fetch()
        wait_for_program()
        ask("POST", "/begin").read()
    except Refused as refusal:
        with open(REFUSED + ".part", "w", encoding="utf-8") as file:
            file.write(str(refusal))
        os.rename(REFUSED + ".part", REFUSED)
        wake()
        # A signal that was missed does not come again. In a pod that goes on, the node starts this container anew.
        os._exit(0)
    open(READY, "w").close()
    wake()


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
        if os.stat(folder).st_uid == os.getuid():  # the node makes the folder when it is first
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
    if os.path.exists(READY):
        put_all(HOME + "/output/output", "/output")
        for pool in POOLS:
            put_all(HOME + "/pools/" + pool, "/pools/" + pool)
        if os.path.lexists(WRITTEN):
            put(WRITTEN, "/written")
        send("POST", "/done")
    os._exit(0)


def leave():
    """End after a refusal. The node may have asked this process to end before it listened, and does not ask again."""
    # The program cannot start without this container. It reads the refusal itself.
    wake()
    for _ in range(500):
        if os.path.exists(WAITING):
            break
        time.sleep(0.02)
    time.sleep(1)
    os._exit(0)


# The first process of a container ignores signals that it does not handle, so this comes first.
signal.signal(signal.SIGTERM, collect)
os.umask(0o022)
os.makedirs(RESULT, exist_ok=True)
if WAITS and not os.path.lexists(NEWS):
    os.mkfifo(NEWS)
# The node starts this container again when it was ended in the middle.
if os.path.exists(REFUSED):
    leave()
elif not os.path.exists(READY):
    begin()
else:
    wake()
while True:
    signal.pause()
