# Spaces behind a statement, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "1" + " " * 200_000}
