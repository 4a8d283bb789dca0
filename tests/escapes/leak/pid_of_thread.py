# The id of the main thread in the kernel is the process's.
# breach: setting pid
import asyncio
asyncio.events.threading.main_thread().native_id
