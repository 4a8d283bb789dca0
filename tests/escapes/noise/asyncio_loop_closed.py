# Closes the event loop that the session runs on.
# expect: ok or error
# state: kept
# when: await
import asyncio
asyncio.get_running_loop().close()
