"""Forwards connections from 127.0.0.1 in a sandbox to the platform's proxy, whose socket is the sandbox's only network."""

import posix

PROXY = "/run/kethub/proxy.sock"
PORT = 3128
BUFFER = 256 * 1024


def start_if_needed() -> None:
    """Serve in a process of its own, which ends with the sandbox. Does nothing when the version has declared no hosts."""
    try:
        posix.stat("/run/kethub")
    except OSError:
        return
    import _socket

    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", PORT))
    listener.listen(64)
    child = posix.fork()
    if child == 0:
        if posix.fork() == 0:  # not a child of the program, so that its os.wait() does not see it
            _serve(listener.fileno())
        posix._exit(0)
    posix.waitpid(child, 0)
    listener.close()


def _serve(descriptor: int) -> None:
    posix.setsid()
    empty = posix.open("/dev/null", posix.O_RDWR)
    for standard in (0, 1, 2):
        posix.dup2(empty, standard)
    posix.closerange(3, descriptor)
    posix.closerange(descriptor + 1, 65536)
    import selectors
    import socket

    listener = socket.socket(fileno=descriptor)
    listener.setblocking(False)
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ, None)
    while True:
        for key, _ in waiting.select():
            if key.data is None:
                _accept(listener, waiting)
            elif key.data.side in waiting.get_map():  # its peer may have closed both just now
                key.data.move()


def _accept(listener, waiting) -> None:
    import socket

    try:
        inner, _ = listener.accept()
    except OSError:
        return
    outer = socket.socket(socket.AF_UNIX)
    if not _connect(outer):
        inner.close()
        outer.close()
        return
    one, other = _Side(inner, waiting), _Side(outer, waiting)
    one.peer, other.peer = other, one
    for side in (one, other):
        side.side.setblocking(False)
        side.watch()


def _connect(outer) -> bool:
    """Connect to the proxy, which may still be starting. Returns False after 5 seconds."""
    import time

    for _ in range(100):
        try:
            outer.connect(PROXY)
            return True
        except OSError:
            time.sleep(0.05)
    return False


class _Side:
    """One end of a connection. Data that it sends waits in `out` of its peer."""

    def __init__(self, side, waiting) -> None:
        self.side = side
        self.waiting = waiting
        self.out = bytearray()
        self.peer = self
        self.ended = False  # it sends nothing more
        self.shut = False  # nothing more is sent to it

    def watch(self) -> None:
        reading = not self.ended and len(self.peer.out) < BUFFER
        events = (1 if reading else 0) | (2 if self.out else 0)
        known = self.side in self.waiting.get_map()
        if events and known:
            self.waiting.modify(self.side, events, self)
        elif events:
            self.waiting.register(self.side, events, self)
        elif known:
            self.waiting.unregister(self.side)

    def move(self) -> None:
        try:
            self._read()
            self._write()
            self.peer._write()
        except BlockingIOError:
            pass
        except OSError:
            self._close()
            return
        if self.shut and self.peer.shut:
            self._close()
            return
        self.watch()
        self.peer.watch()

    def _read(self) -> None:
        if self.ended or len(self.peer.out) >= BUFFER:
            return
        try:
            data = self.side.recv(65536)
        except BlockingIOError:
            return
        self.peer.out += data
        self.ended = not data

    def _write(self) -> None:
        if self.out:
            try:
                del self.out[: self.side.send(self.out)]
            except BlockingIOError:
                return
        if self.peer.ended and not self.out and not self.shut:
            self.shut = True
            self.side.shutdown(1)

    def _close(self) -> None:
        for side in (self, self.peer):
            if side.side in self.waiting.get_map():
                self.waiting.unregister(side.side)
            side.side.close()
