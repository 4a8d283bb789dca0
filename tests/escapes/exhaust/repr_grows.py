# The repr of the value doubles with each part that it has.
# expect: memory
# when: repr
class Doubling:
    def __init__(self, n):
        self.n = n
    def __repr__(self):
        return "x" if self.n == 0 else repr(Doubling(self.n - 1)) * 2
Doubling(40)
