# The hook that is told of what finalizers raise is the next loop.
# expect: rung 1
# expect short 3.11: rung 4
# state short 3.11: any
# when: finalizer
import sys
class Endless:
    def __del__(self):
        while True:
            pass
def hook(report):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
sys.unraisablehook = hook
while True:
    Endless()
