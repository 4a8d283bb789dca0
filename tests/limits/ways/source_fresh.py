# The first cell of a session.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": "fresh", "code": "#" * 200_000}
