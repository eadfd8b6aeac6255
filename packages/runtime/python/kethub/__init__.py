"""Types that a Kethub service can import from the platform, for its secret and data pool parameters."""

from kethub.datapool import DataPool
from kethub.secret import SecretValue

__all__ = ["DataPool", "SecretValue"]
