# Awaits an event that nobody sets, a queue that stays empty and a lock that is held.
# expect: rung 1
# when: await
import asyncio
lock = asyncio.Lock()
await lock.acquire()
await asyncio.gather(asyncio.Event().wait(), asyncio.Queue().get(), lock.acquire())
