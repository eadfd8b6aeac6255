import asyncio
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


async def in_threads(numbers):
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(2) as pool:
        return await asyncio.gather(*(loop.run_in_executor(pool, is_prime, number) for number in numbers))


def run(data, params):
    numbers = range(data["below"])
    with ProcessPoolExecutor(params.get("workers", 2)) as pool:
        found = [number for number, prime in zip(numbers, pool.map(is_prime, numbers)) if prime]
    assert sum(asyncio.run(in_threads(numbers))) == len(found)
    return {"primes": found, "level": os.environ.get("LOG_LEVEL", "none")}
