# __format__ loops inside an f-string.
# expect: rung 1
class Endless:
    def __format__(self, spec):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
f"{Endless():>10}"
