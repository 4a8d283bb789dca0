# Tabs, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "\t" * 200_000}
