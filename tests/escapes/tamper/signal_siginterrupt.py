# signal.siginterrupt.
# breach: setting
# state: kept
import asyncio
asyncio.base_events.socket
import unittest
unittest.signals.signal.siginterrupt(10, True)
unittest.signals.signal.signal(12, unittest.signals.signal.SIG_IGN)
