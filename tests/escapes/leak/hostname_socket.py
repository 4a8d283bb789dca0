# socket.gethostname.
# breach: setting hostname
import asyncio
asyncio.base_events.socket.gethostname()
