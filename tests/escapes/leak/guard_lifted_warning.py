# The loader lifts the guard while it compiles: a warning there asks the cell's filter.
# breach: setting inode
# only: 3.11
import json, random, sys, warnings
os, seen = random._os, []
class Filter:
    def match(self, text):
        try:
            seen.append(os.stat(SECRET_FILE).st_ino)
        except OSError:
            pass
source = os.path.dirname(json.__path__[0]) + "/venv/scripts/posix/activate.csh"
class Loader(type(json.__loader__)):
    def get_filename(self, name=None):
        return source
warnings.filters.insert(0, ("default", Filter(), Warning, None, 0))
sys.modules["_warnings"]._filters_mutated()
try:
    Loader("x", source).get_code("x")
except (ImportError, SyntaxError):
    pass
seen[0]
