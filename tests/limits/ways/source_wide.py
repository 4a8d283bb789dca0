# A cell whose characters take several bytes.
# limit: source
# forms: local worker full bash
# %% send {"session": session, "code": "#" + "\U0001f600" * (1 << 19)}
