# __getattribute__ loops: any look at the object hangs.
# expect: rung 1
class Endless:
    def __getattribute__(self, name):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
Endless().anything
