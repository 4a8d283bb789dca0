# An alarm clock in a second, which ends a process that has no handler.
# expect: denied or error
import asyncio, sys, time
sys.modules["_signal"].alarm(1)
time.sleep(2)
