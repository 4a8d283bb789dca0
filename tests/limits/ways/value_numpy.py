# Arrays of numpy's that were told to print all.
# limit: value
# forms: full
import numpy
numpy.set_printoptions(threshold=10 ** 9, linewidth=10 ** 9)
numpy.arange(300_000)
# %% cell
numpy.array(["x" * 4000] * 1000)
