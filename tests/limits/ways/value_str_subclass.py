# A string of a class whose repr is a string of another, long one.
# limit: value
class S(str):
    def __repr__(self):
        return S("s" * 3_000_000)
    def __str__(self):
        return S("t" * 3_000_000)
    def __len__(self):
        return 1
S("x")
