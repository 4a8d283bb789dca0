# A callback of the loop calls itself soon, for ever.
# expect: rung 1
# when: await
import asyncio
loop = asyncio.get_running_loop()
def again():
    loop.call_soon(again)
again()
await loop.create_future()
