# Turns the interrupt into the end of an iteration, below a C function that ignores it.
# expect: rung 1
class Turns:
    def __iter__(self):
        return self
    def __next__(self):
        try:
            while True:
                pass
        except BaseException:
            raise StopIteration
while True:
    list(Turns())
