# A detached socket leaves one.
# breach: setting
# state: kept
import asyncio
asyncio.base_events.socket.socket().detach()
