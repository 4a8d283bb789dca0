# As long as a cell may be, to the byte, and one more.
# limit: source
# forms: local worker full bash
# options: --source 64KB
# %% send {"session": session, "code": "#" * 65536}
# %% send {"session": session, "code": "#" * 65537}
