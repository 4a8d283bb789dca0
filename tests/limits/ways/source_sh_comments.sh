# Comments with bytes that are not text for a shell, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "# \u0001\u202e\n" * 20_000}
