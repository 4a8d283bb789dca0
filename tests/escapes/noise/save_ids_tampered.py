# The tables of what pickles may call have more in them.
# expect: ok or rung 1
# when: save
import sys
class Adds:
    def __getstate__(self):
        frame = sys._getframe()
        while frame:
            for names in (frame.f_globals, frame.f_locals):
                if "_helpers" in names:
                    names["_helpers"]["class"] = names["_helpers"]["module"] = exec
                    names["ids"].clear()
                    names["ids"][id(calls)] = "exec"
            frame = frame.f_back
        return 1
def calls():
    pass
adds = [Adds(), calls]
