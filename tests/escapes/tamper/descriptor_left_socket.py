# A detached socket leaves one.
# breach: setting
import asyncio
asyncio.base_events.socket.socket().detach()
