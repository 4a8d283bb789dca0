# asyncio.shield and wait_for around tasks that start again.
# expect: rung 1
# when: await
import asyncio
async def forever():
    while True:
        try:
            await asyncio.wait_for(asyncio.shield(asyncio.sleep(1e6)), 1e5)
        except BaseException:
            pass
await asyncio.shield(forever())
