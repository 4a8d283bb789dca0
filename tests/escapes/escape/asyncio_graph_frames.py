# The call graph of a task has frames of the event loop, and these the modules of the library.
# breach: secret
# state: kept
# only: 3.14+
import asyncio
async def inner():
    return asyncio.capture_call_graph()
async def outer():
    return await inner()
graph = await asyncio.create_task(outer())
for entry in graph.call_stack:
    frame = entry.frame
    while frame is not None:
        if "subprocess" in frame.f_globals:
            frame.f_globals["subprocess"].os.pread(SECRET_FD, 100, 0)
        frame = frame.f_back
