# Awaits more and more calls that are not answered.
# expect: rung 1 or memory
# state: any
# tools: yes
# when: await
import asyncio
async def more():
    tasks = []
    while True:
        tasks += [asyncio.ensure_future(forever(a="x" * 10000)) for _ in range(1000)]
        await asyncio.sleep(0)
await more()
