# A pool of interpreters, which concurrent.futures imports when its name is asked for.
# breach: secret
# state: kept
# only: 3.14+
import asyncio
import concurrent.futures
concurrent.futures.InterpreterPoolExecutor(1).submit(print, 1).result()
