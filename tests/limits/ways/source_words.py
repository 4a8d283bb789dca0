# Words on one line, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": ": " + "w " * 100_000}
