# Names that the program looks at for a value are of the cell's making.
# limit: value
_ = __ = ___ = "u" * 5_000_000
_
# %% cell
__builtins__.__class__.__name__, repr(_) * 2
