# What is told of the end of a loop when a cell was stopped is the guest's, and loops itself.
# expect: rung 1
import asyncio
def endless(loop):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
asyncio.events._set_running_loop = endless
while True:
    pass
# %%
1 + 1
