# Characters of two bytes: fewer than the limit, as bytes more, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "#" + "\u00e4" * 40_000}
