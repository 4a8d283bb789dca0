# One number, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "x = 0x" + "f" * 200_000}
