# One that is recorded for a notebook.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "#" * 200_000, "record": True}
