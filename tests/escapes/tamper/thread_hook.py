# threading.excepthook.
# breach: setting
import asyncio
asyncio.base_events.threading.excepthook = print
