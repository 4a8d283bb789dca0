# Text with a hundred thousand lines.
# limit: value
# forms: local worker full
class L:
    def __repr__(self):
        return "line\n" * 1_000_000
L()
# %% cell
[L()] * 3
