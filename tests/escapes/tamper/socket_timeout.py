# socket.setdefaulttimeout.
# breach: setting
import asyncio
asyncio.base_events.socket.setdefaulttimeout(0.001)
