# The body of a function, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": "f() { :; " + ": x; " * 40_000 + "}"}
