# socket.setdefaulttimeout.
# breach: setting
# state: kept
import asyncio
asyncio.base_events.socket.setdefaulttimeout(0.001)
