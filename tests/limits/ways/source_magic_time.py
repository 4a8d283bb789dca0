# The body of a magic, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "%%time\n" + "x = 1\n" * 30_000}
