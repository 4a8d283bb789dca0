# asyncio.tools reads the memory of a thread's process, and tells its id: the main thread has it.
# breach: setting pid
# only: 3.14+
import asyncio.tools, threading
def look():
    return asyncio.tools.get_all_awaited_by(threading.get_native_id())
await asyncio.to_thread(look)
