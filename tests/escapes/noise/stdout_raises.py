# A stream of the cell's own whose methods raise BaseException.
# expect: ok or error
import sys
class Broken:
    def __getattr__(self, name):
        raise BaseException("broken")
sys.stdout = sys.stderr = Broken()
1
