# Braces, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": ": {" + "a," * 50_000 + "b}"}
