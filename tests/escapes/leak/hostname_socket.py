# socket.gethostname.
# breach: setting hostname
# state: kept
import asyncio
asyncio.base_events.socket.gethostname()
