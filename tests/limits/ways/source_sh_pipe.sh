# A pipeline, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "true " + "| true " * 12_000}
