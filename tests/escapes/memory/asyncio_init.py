# A task that makes itself again while it runs: its coroutine and its context are freed under it.
# expect: ok
# only: 3.13+
import asyncio
async def other():
    return "other"
async def again(task):
    refused = 0
    for make in (lambda: task.__init__(coro), lambda: asyncio.Task.__init__(task, coro, loop=task.get_loop()),
                 lambda: asyncio.Future.__init__(task)):
        coro = other()
        try:
            make()
        except RuntimeError:
            refused += 1
        finally:
            coro.close()
            del coro
    hold = [bytes(400) for _ in range(1000)]
    await asyncio.sleep(0)
    return refused, len(hold)
async def main():
    found = []
    async def run():
        found.append(await again(asyncio.current_task()))
    task = asyncio.create_task(run())
    await task
    return found
assert asyncio.run(main()) == [(3, 1000)]
# %%
class Loop:
    def __init__(self):
        self.calls = 0
    def get_debug(self):
        return False
    def call_soon(self, callback, *args, context=None):
        self.calls += 1
        try:
            future.__init__(loop=Loop())
        except RuntimeError:
            return None
        raise AssertionError("made again")
future = asyncio.Future(loop=Loop())
for _ in range(3):
    future.add_done_callback(lambda done: None)
future.set_result(1)
assert future.get_loop().calls == 3
# %%
class Own(asyncio.Future):
    def __init__(self, name):
        self.name = name
        super().__init__()
        self.first = self.get_loop()
async def own():
    future = Own("own")
    asyncio.get_running_loop().call_soon(future.set_result, 3)
    return await future + (await asyncio.create_task(asyncio.sleep(0, 4), name="four"))
assert asyncio.run(own()) == 7
