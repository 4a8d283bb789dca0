# A literal list, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "x = [" + "1," * 60_000 + "]"}
