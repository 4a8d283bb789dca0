# A __getattr__ turns the interrupt into an AttributeError, which getattr with a default drops.
# expect: rung 1
class Thing:
    def __getattr__(self, name):
        try:
            while True:
                pass
        except BaseException:
            raise AttributeError(name)
while True:
    getattr(Thing(), "x", None)
