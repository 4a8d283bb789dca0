# A handler of the event loop's.
# breach: setting
# state: kept
import asyncio, signal
asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, int)
await asyncio.sleep(0)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
