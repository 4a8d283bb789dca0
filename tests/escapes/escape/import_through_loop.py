# The event loop calls __import__ from its own frame.
# breach: secret
# state: kept
import sys
import asyncio
asyncio.get_running_loop().call_soon(__import__, "subprocess")
await asyncio.sleep(0)
await asyncio.sleep(0)
sys.modules["subprocess"].os.pread(SECRET_FD, 100, 0)
