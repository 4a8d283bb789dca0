# A stream of the cell's own whose methods raise BaseException.
# expect: ok or error
# state: kept
# when: run
import sys
class Broken:
    def __getattr__(self, name):
        raise BaseException("broken")
sys.stdout = sys.stderr = Broken()
1
