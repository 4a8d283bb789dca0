# A value whose repr never ends, and whose other descriptions do not either.
# limit: wall cpu
class V:
    def __repr__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    _repr_html_ = _repr_mimebundle_ = __repr__
V()
