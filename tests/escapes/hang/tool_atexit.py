# A function at exit goes on calling tools.
# expect: rung 1
# profile: data
# tools: yes
# when: atexit
import sys
def wait(never=never, input=input):
    while True:
        for call in (never, input):
            try:
                call()
            except BaseException:
                pass
def at_exit():
    import atexit
    atexit.register(wait)
try:
    at_exit()
except ImportError:
    class Waiting:
        __del__ = lambda self, wait=wait: wait()
    waiting = Waiting()
