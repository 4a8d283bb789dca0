# A hundred tasks swallow, each without ever giving the loop back.
# expect: rung 1
# when: await
import asyncio
async def stubborn():
    while True:
        try:
            while True:
                pass
        except BaseException:
            await asyncio.sleep(0)
await asyncio.gather(*[asyncio.create_task(stubborn()) for _ in range(100)], return_exceptions=True)
