# The end of the cell finds sys.unraisablehook, sys.excepthook and sys.stderr broken.
# expect: error
# when: report
import sys
def broken(*arguments):
    raise BaseException("broken")
sys.unraisablehook = sys.excepthook = broken
sys.stderr = object()
class Loud:
    def __del__(self):
        raise BaseException("loud")
Loud()
raise ValueError("the end")
