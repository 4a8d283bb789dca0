# Awaits a sleep of thirty years.
# expect: rung 1
# when: await
import asyncio
await asyncio.sleep(1e9)
