# Thousands of cells, each large: what was asked is kept.
# limit: memory
# forms: local worker full bash
# %% send [{"session": session, "code": "#" + "h" * 300_000} for i in range(200)]
