# The module subprocess, which asyncio holds, starts a shell.
# breach: marker
import asyncio
module = asyncio.subprocess.subprocess
module.Popen(["sh", "-c", f"echo > {MARKER_FILE}"]).wait()
