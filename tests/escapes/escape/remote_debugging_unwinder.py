# What asyncio.tools is made with reads a process by one of its threads, and tells its id.
# breach: setting pid
# only: 3.14+
import _remote_debugging, threading
found = []
def look():
    unwinder = _remote_debugging.RemoteUnwinder(threading.get_native_id())
    found.append(unwinder.get_stack_trace())
thread = threading.Thread(target=look)
thread.start()
thread.join()
found
