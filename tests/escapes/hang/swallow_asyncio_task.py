# A task swallows its own cancellation.
# expect: rung 1
# when: await
import asyncio
async def stubborn():
    while True:
        try:
            await asyncio.sleep(0.01)
        except BaseException:
            pass
await stubborn()
