# threading.excepthook.
# breach: setting
# state: kept
import asyncio
asyncio.base_events.threading.excepthook = print
