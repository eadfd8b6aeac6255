"""Bring the input of an execution into its pod, before the program begins. Runs in any image with Python."""

import http.client
import json
import os
import sys
import tarfile
import time
import urllib.parse

HOME = "/run/kethub"
URL = urllib.parse.urlsplit(os.environ["PLATFORM_URL"])
ID = os.environ["EXECUTION_ID"]
ATTEMPTS = 120  # with pauses of up to five seconds: the platform may be restarted meanwhile


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


def ask(method, path, body=None):
    """Return an open answer. It tries again while the platform is away; a refusal ends this pod."""
    headers = {"Authorization": "Bearer " + text(HOME + "/secret/token"), "X-Kethub-Pod": os.environ["POD_UID"]}
    for attempt in range(ATTEMPTS):
        try:
            connection = connect(60)
            connection.request(method, "/pods/" + urllib.parse.quote(ID) + path, body, headers)
            answer = connection.getresponse()
        except OSError as error:
            why = str(error)
        else:
            if answer.status < 300:
                return answer
            why = str(answer.status) + " " + answer.read(500).decode("utf-8", "replace")
            if answer.status < 500:
                sys.exit("The platform does not give out this execution: " + why)
        time.sleep(min(5, 0.1 * 2**attempt))
    sys.exit("The platform is not reached: " + why)


def receive(part, folder):
    """Unpack one folder. A connection that is lost in the middle is made again."""
    for attempt in range(10):
        try:
            with tarfile.open(fileobj=ask("GET", "/parts/" + part), mode="r|") as archive:
                archive.extractall(folder)
            return
        except (OSError, tarfile.TarError, http.client.HTTPException) as error:
            why = str(error)
            time.sleep(min(5, 0.1 * 2**attempt))
    sys.exit("The input was cut off again and again: " + why)


def main():
    os.umask(0o022)
    parts = json.loads(ask("POST", "/claim").read())
    for folder in ("exchange/app", "exchange/deps", "exchange/runner", "exchange/result", "output/output"):
        os.makedirs(HOME + "/" + folder, exist_ok=True)
    for part, folder in parts.items():
        os.makedirs(HOME + "/" + folder, exist_ok=True)
        receive(part, HOME + "/" + folder)
    header = text(HOME + "/secret/job").encode("utf-8")
    body = ask("GET", "/input").read()
    path = HOME + "/handover/job"
    with open(path + ".part", "wb") as file:
        for frame in (header, body):
            file.write(str(len(frame)).encode() + b"\n" + frame)
    os.rename(path + ".part", path)


main()
