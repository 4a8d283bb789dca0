# Quotes of each kind, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": ": " + "'a' \"b\" $'c' " * 10_000}
