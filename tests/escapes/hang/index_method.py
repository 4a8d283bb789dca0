# __index__ loops; a slice of a list asks it from C.
# expect: rung 1
class Endless:
    def __index__(self):
        while True:
            pass
[1, 2, 3][Endless():]
