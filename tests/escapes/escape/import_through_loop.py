# The event loop calls __import__ from its own frame.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import asyncio
asyncio.get_running_loop().call_soon(__import__, "subprocess")
await asyncio.sleep(0)
await asyncio.sleep(0)
sys.modules["subprocess"].call(["sh", "-c", f"echo > {MARKER_FILE}"])
