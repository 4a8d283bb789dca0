# Many large lines at once, which wait.
# limit: source memory
# forms: local worker full bash
# %% send [{"session": session, "code": "#" * 1_000_000} for i in range(40)]
