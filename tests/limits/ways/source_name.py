# One name, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "n" * 200_000 + " = 1"}
