# Tasks that are never done and refuse to be cancelled, left behind for the next cell.
# limit: wall cpu
import asyncio
async def stubborn():
    while True:
        try:
            await asyncio.sleep(0)
        except BaseException:
            pass
tasks = [asyncio.ensure_future(stubborn()) for _ in range(50)]
await asyncio.sleep(0.1)
# %% cell
await asyncio.sleep(100)
