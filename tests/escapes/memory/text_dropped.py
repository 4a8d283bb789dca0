# What is shown is dropped by the __str__ or __repr__ of another part of it.
# expect: ok
# when: repr
class Part:
    def __str__(self):
        drop()
        kept.extend([bytes(56) for _ in range(1000)])
        return "part"
    __repr__ = __str__
kept = []
def drop():
    error.filename = error.filename2 = None
error = OSError(1, Part(), ["one"] * 3, None, ["two"] * 3)
assert str(error) == "[Errno 1] part: ['one', 'one', 'one'] -> ['two', 'two', 'two']"
