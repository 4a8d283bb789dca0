# Calls tools of the host side by side, each of which is a process there.
# limit: tasks tool_calls
# options: --tool "slow=sleep 1"
import asyncio
async def call(i):
    try:
        return slow(n=i)
    except Exception as error:
        return str(error)
print([await call(i) for i in range(4)])
