# except* with a group whose split() returns no pair of exceptions: two items were read at fixed places of any object.
# expect: ok
# expect short: ok or error or crash or died
class Group(ExceptionGroup):
    def split(self, kind):
        return answer
for answer in b"A" * 64, (None,), [None, None], (b"A" * 64, None), (None, 5):
    try:
        try:
            raise Group("x", [ValueError()])
        except* ValueError:
            assert False
    except TypeError as error:
        assert "pair" in str(error)
    else:
        assert False
try:
    raise ExceptionGroup("x", [ValueError(), KeyError()])
except* ValueError as error:
    assert len(error.exceptions) == 1
except* KeyError:
    pass
