# __bool__ loops; all() asks it from C.
# expect: rung 1
class Endless:
    def __bool__(self):
        while True:
            pass
all([Endless()])
