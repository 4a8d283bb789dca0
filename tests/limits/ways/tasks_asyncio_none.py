# The same where no thread is allowed.
# limit: tasks
import asyncio, time
try:
    await asyncio.wait_for(asyncio.gather(*[asyncio.to_thread(time.sleep, 0.1) for i in range(300)]), 3)
except Exception as error:
    print(type(error))
