# A cell that is too long, with a reset and a time of its own.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "#" * 200_000, "reset": True, "timeout": 5}
