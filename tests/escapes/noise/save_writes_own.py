# Bytes of its own among those that are written, by what saves.
# expect: ok or rung 1
# when: save
import sys
class Writes:
    def __getstate__(self):
        frame = sys._getframe()
        while frame:
            for thing in list(frame.f_locals.values()):
                if hasattr(thing, "rewind"):
                    thing.drop(0)
                    thing.write(b"\x80\x05cposix\nsystem\n(S'true'\ntR.")
            frame = frame.f_back
        return 1
writes = Writes()
