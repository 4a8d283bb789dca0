# A stream's own write() replaces it while Python prints to it: the freed stream was written to.
# expect: ok
# expect short: ok or error or crash or died
import sys, warnings
class Stream:
    is_dead = False
    def __init__(self, name):
        self.name = name
    def write(self, text):
        assert not Stream.is_dead, "written to after it is freed"
        setattr(sys, self.name, None)
    def __del__(self):
        Stream.is_dead = True
kept = sys.stdout, sys.stderr
warnings.simplefilter("always")
shown = warnings._showwarnmsg
del warnings._showwarnmsg
try:
    for name, show in (("stdout", lambda: print(1, 2)), ("stdout", lambda: sys.__displayhook__(5)),
                       ("stderr", lambda: warnings.warn("x"))):
        Stream.is_dead = False
        setattr(sys, name, Stream(name))
        show()
        sys.stdout, sys.stderr = kept
finally:
    sys.stdout, sys.stderr = kept
    warnings._showwarnmsg = shown
