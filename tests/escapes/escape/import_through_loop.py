# The event loop calls __import__ from its own frame.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import asyncio
async def main():
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(lambda f: done.set_result(f("subprocess")), __import__)
    return await done
(await main()).call(["sh", "-c", f"echo > {MARKER_FILE}"])
