import glob
import socket

from src.kit import attempt, connect

POSTGRESQL = ["/var/run/postgresql/.s.PGSQL.5432", "/run/postgresql/.s.PGSQL.5432", "/tmp/.s.PGSQL.5432"]


def run(addresses, port, sockets, abstract, **_):
    tried = {path: attempt(connect, socket.AF_UNIX, path) for path in [*sockets, *POSTGRESQL]}
    tried["abstract socket"] = attempt(connect, socket.AF_UNIX, "\0" + abstract)
    for address in ["127.0.0.1", "::1", "0.0.0.0", "host.docker.internal", *addresses]:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        tried[f"port {port} of {address}"] = attempt(connect, family, (address, port))
        tried[f"PostgreSQL of {address}"] = attempt(connect, family, (address, 5432))
    for path in glob.glob("/proc/*/root/tmp/*sock*"):
        tried[path] = attempt(connect, socket.AF_UNIX, path)
    return {"tried": tried}
