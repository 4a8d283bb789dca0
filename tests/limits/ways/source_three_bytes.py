# Characters of three bytes, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "#" + "\u20ac" * 30_000}
