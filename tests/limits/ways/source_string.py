# One string, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "x = '" + "s" * 200_000 + "'"}
