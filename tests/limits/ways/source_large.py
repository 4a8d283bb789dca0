# A cell as large as may be, and one that is larger.
# limit: source
# forms: local worker full bash
# quick:
# %% send {"session": session, "code": "#" * ((1 << 20) - 10)}
# %% send {"session": session, "code": "#" * ((1 << 20) + 10)}
# %% send {"session": session, "code": "#" * (8 << 20)}
