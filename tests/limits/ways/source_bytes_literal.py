# A literal of bytes, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "x = b'" + "\\x00" * 30_000 + "'"}
