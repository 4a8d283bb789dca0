# Calls side by side.
# limit: tool_calls
# options: --tool "echo=cat"
import asyncio
async def call(i):
    try:
        return echo(x=i)
    except Exception:
        pass
await asyncio.gather(*[call(i) for i in range(60)])
