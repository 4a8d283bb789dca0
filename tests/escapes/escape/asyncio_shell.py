# asyncio starts a shell.
# breach: secret
import asyncio
process = await asyncio.create_subprocess_shell(f"cat {SECRET_FILE}", stdout=-1)
(await process.communicate())[0]
