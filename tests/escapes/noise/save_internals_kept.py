# What saves is found in its frames, kept, and called when the session is reset.
# expect: ok
# when: save
import sys
class Keeps:
    def __getstate__(self):
        frame = sys._getframe()
        kept = sys.modules["kept"] = []
        while frame:
            kept.extend(frame.f_locals.values())
            frame = frame.f_back
        return 1
    def __del__(self):
        for thing in sys.modules.get("kept", ()):
            for name in ("write", "mark", "drop", "read", "rewind", "persistent_id"):
                for argument in ((), (b"x",), (3,)):
                    try:
                        getattr(thing, name)(*argument)
                    except Exception:
                        pass
keeps = Keeps()
