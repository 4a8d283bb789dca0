# Closes the event loop that the session runs on.
# expect: ok or error
# when: await
import asyncio
asyncio.get_running_loop().close()
