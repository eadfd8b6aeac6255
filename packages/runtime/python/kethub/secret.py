"""A secret that can be read only once, and only by unwrapping it."""

REDACTED = "[redacted]"


class SecretValue:
    """Holds a secret string. `unwrap()` returns it once; every other access shows `[redacted]`.

    The value is in a closure and not in an attribute, so that vars(), pickle, copy and serializers that walk
    attributes cannot find it.
    """

    __slots__ = ("_hold",)

    def __init__(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError("A secret is a string")
        box = [value]

        def hold(take: bool) -> "str | None":
            if not take:
                return REDACTED if box else None
            return box.pop() if box else None

        object.__setattr__(self, "_hold", hold)

    def unwrap(self) -> str:
        """Return the secret once. Raises ValueError at the second call."""
        value = self._hold(True)
        if value is None:
            raise ValueError("Secret is locked: it was unwrapped before, and a secret can be unwrapped once")
        return value

    @property
    def is_locked(self) -> bool:
        """Return whether the secret has been unwrapped."""
        return self._hold(False) is None

    def __str__(self) -> str:
        return REDACTED

    def __repr__(self) -> str:
        return "SecretValue([redacted])"

    def __format__(self, specification: str) -> str:
        return format(REDACTED, specification)

    def __setattr__(self, name, value) -> None:
        raise AttributeError("A SecretValue cannot be changed")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce_ex__(self, protocol):
        raise TypeError("A SecretValue cannot be pickled: unwrap it where it is used")
