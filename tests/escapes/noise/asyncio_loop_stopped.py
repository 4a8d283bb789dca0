# Stops the event loop and cancels all its tasks.
# expect: ok or error
# when: await
import asyncio
loop = asyncio.get_running_loop()
for task in asyncio.all_tasks():
    task.cancel()
loop.stop()
await asyncio.sleep(0)
