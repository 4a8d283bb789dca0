# Awaited calls are cancelled, timed out and dropped in all ways, while answers come.
# expect: ok
# tools: yes
# when: await
import asyncio
async def one(n):
    task = asyncio.ensure_future(later(n))
    if n % 3 == 0:
        task.cancel()
    if n % 3 == 1:
        try:
            async with asyncio.timeout(0):
                await task
        except TimeoutError:
            return 0
    try:
        return await task
    except asyncio.CancelledError:
        return 0
for _ in range(5):
    await asyncio.gather(*[one(n) for n in range(60)])
tasks = [asyncio.ensure_future(forever(n=n)) for n in range(50)]
await asyncio.sleep(0)
# %%
[type(e).__name__ for e in await asyncio.gather(*tasks, return_exceptions=True)].count("ToolError")
