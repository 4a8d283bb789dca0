# An object lays itself out in text without end.
# expect: memory or rung 2
# when: repr
class Endless:
    def _repr_pretty_(self, p, cycle):
        while True:
            p.text("x" * 1000)
            p.breakable()
    def __repr__(self):
        return "".join("x" * 1000 for _ in iter(int, 1))
try:
    display
except NameError:
    repr(Endless())
Endless()
