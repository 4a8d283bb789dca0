# Braces, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": ": {" + "a," * 50_000 + "b}"}
