# Words of four bytes a character, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": ": " + "\U0001f600" * 20_000}
