# Statements by the thousand, longer than a cell may be.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "x = 1\n" * 30_000}
