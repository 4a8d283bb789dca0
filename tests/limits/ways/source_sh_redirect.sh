# Redirections, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": ": " + "</dev/null " * 10_000}
