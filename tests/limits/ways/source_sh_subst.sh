# Substitutions in each other, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": ": " + "$(: " * 300 + "x" * 100_000 + ")" * 300}
