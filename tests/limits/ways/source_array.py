# The words of an array, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": "a=(" + "x " * 100_000 + ")"}
