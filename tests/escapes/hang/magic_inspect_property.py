# A property that is looked at does not end.
# expect: rung 1
# when: magic
class Trap:
    @property
    def value(self):
        while True:
            pass
trap = Trap()
try:
    magic = __snug_magic__
except NameError:
    magic = lambda name, text: eval(text)
magic("pinfo", "trap.value")
