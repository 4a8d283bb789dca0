# Awaits a future that nobody sets.
# expect: rung 1
# when: await
import asyncio
await asyncio.get_running_loop().create_future()
