# An asyncio.Task that was never initialised is asked for its coroutine and its context.
# 3.14 answers None to both.
# expect: crash
# expect 3.14: crash or ok
# expect 3.15: crash or ok
# expect 3.11: crash or ok or error
# expect short 3.13: died
# state: any
import asyncio
task = asyncio.Task.__new__(asyncio.Task)
for name in ("get_coro", "get_context"):
    try:
        getattr(task, name)()
    except AttributeError:
        pass
