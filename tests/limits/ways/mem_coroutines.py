# Keeps coroutines, generators with frames, and tasks that never run.
# limit: memory
import asyncio
async def wait(x):
    await asyncio.sleep(100)
async def main():
    keep = []
    while True:
        keep.append(asyncio.ensure_future(wait(b"x" * (2000))))
        if len(keep) % 1000 == 0:
            await asyncio.sleep(0)
await main()
