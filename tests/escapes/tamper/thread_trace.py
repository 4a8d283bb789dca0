# threading.settrace traces the threads of others.
# breach: setting
# state: kept
import asyncio
asyncio.base_events.threading.settrace(lambda *arguments: None)
