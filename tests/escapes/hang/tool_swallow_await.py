# Swallows cancellation and stop around awaited tools.
# expect: rung 1
# tools: yes
# when: await
import asyncio
async def wait():
    while True:
        try:
            await asyncio.shield(asyncio.ensure_future(forever()))
        except BaseException:
            pass
await asyncio.gather(*[wait() for _ in range(50)])
