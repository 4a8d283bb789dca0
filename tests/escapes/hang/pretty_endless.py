# A container's own iterator does not end, and gives nothing.
# expect: rung 1
# when: repr
class Never(list):
    def __iter__(self):
        while True:
            pass
        yield
    def __repr__(self):
        return str([item for item in self])
try:
    display
except NameError:
    repr(Never([1]))
[Never([1, 2, 3])] * 50
