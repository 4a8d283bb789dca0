# A coroutine that gives way all the time and never ends.
# expect: rung 1
# when: await
import asyncio
while True:
    await asyncio.sleep(0)
