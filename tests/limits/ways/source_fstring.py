# A formatted string with thousands of parts, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": "x=1\nf'" + "{x}" * 30_000 + "'"}
