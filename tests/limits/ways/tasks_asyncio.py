# Has asyncio run things in threads, hundreds at once.
# limit: tasks
# options: --threads 4
import asyncio, time
try:
    await asyncio.wait_for(asyncio.gather(*[asyncio.to_thread(time.sleep, 0.1) for i in range(300)]), 3)
except Exception as error:
    print(type(error))
