# Redirections, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": ": " + "</dev/null " * 10_000}
