# A condition, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "[[ 1 " + "|| 1 " * 20_000 + "]]"}
