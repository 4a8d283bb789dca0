# Makes tasks for ever without running them.
# expect: memory
# when: await
import asyncio
async def nothing():
    pass
tasks = []
await asyncio.sleep(0)
while True:
    tasks.append(asyncio.ensure_future(nothing()))
