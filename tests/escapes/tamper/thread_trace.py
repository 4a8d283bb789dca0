# threading.settrace traces the threads of others.
# breach: setting
import asyncio
asyncio.base_events.threading.settrace(lambda *arguments: None)
