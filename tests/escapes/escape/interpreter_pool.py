# A pool of interpreters, which concurrent.futures imports when its name is asked for.
# breach: secret
# only: 3.14+
import concurrent.futures
pool = concurrent.futures.InterpreterPoolExecutor(1)
pool.submit(eval, f"__import__('os').pread({SECRET_FD}, 100, 0)").result()
