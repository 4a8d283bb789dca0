# An event loop sets a handler for a signal.
# breach: setting
import asyncio, signal
asyncio.new_event_loop().add_signal_handler(signal.SIGUSR1, print)
