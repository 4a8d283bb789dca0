# From the call graph of a task, frames lead back to the event loop, whose modules hold os.
# breach: secret
# only: 3.14+
import asyncio
found = []
async def look():
    for entry in asyncio.capture_call_graph().call_stack:
        frame = entry.frame
        while frame := frame.f_back:
            if "subprocess" in frame.f_globals:
                found.append(frame.f_globals["subprocess"].os.pread(SECRET_FD, 100, 0))
await asyncio.create_task(look())
found
