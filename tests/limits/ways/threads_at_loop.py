# Threads of the loop's own executor, made larger.
# limit: tasks
# options: --threads 4
import threading, time
import asyncio, concurrent.futures
loop = asyncio.get_running_loop()
loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(100))
try:
    await asyncio.wait_for(asyncio.gather(*[asyncio.to_thread(time.sleep, 0.2) for _ in range(100)]), 3)
except Exception as error:
    print(type(error))
