# A pool of concurrent.futures, by way of asyncio.
# breach: secret
import asyncio
def read():
    with open(SECRET_FILE) as file:
        return file.read()
with asyncio.base_events.concurrent.futures.ThreadPoolExecutor() as pool:
    got = pool.submit(read).result()
got
