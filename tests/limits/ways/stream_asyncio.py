# Tasks that print, side by side, and that are left behind.
# limit: output
import asyncio
async def talk(i):
    for j in range(2000):
        print(str(i) * 100)
        await asyncio.sleep(0)
await asyncio.gather(*[talk(i) for i in range(8)])
left = asyncio.ensure_future(talk(9))
# %% cell
1
