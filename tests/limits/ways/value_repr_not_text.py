# A repr that is not text, and one that fails with a long text.
# limit: value answer
class R:
    def __repr__(self):
        raise ValueError("r" * 9_000_000)
R()
# %% cell
class Q:
    def __repr__(self):
        return 5
[Q()] * 5
