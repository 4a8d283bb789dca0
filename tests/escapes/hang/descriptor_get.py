# A property that loops, asked by hasattr and getattr with a default in turn.
# expect: rung 1
class Thing:
    @property
    def value(self):
        try:
            while True:
                pass
        except BaseException:
            raise AttributeError("swallowed")

while True:
    hasattr(Thing(), "value")
    getattr(Thing(), "value", None)
