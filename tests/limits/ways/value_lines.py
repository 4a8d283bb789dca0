# Text with a hundred thousand lines.
# limit: value
class L:
    def __repr__(self):
        return "line\n" * 1_000_000
L()
# %% cell
[L()] * 3
