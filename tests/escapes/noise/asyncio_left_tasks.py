# Leaves a hundred tasks behind that are still waiting.
# expect: ok
# when: await
import asyncio
tasks = [asyncio.create_task(asyncio.sleep(1e6)) for _ in range(100)]
await asyncio.sleep(0)
# %%
len(tasks)
