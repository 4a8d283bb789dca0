# An async generator's finally never ends when the loop shuts it down.
# expect: rung 1
# when: await
import asyncio
async def stubborn():
    try:
        yield 1
    finally:
        while True:
            await asyncio.sleep(0)
g = stubborn()
await g.asend(None)
await g.aclose()
