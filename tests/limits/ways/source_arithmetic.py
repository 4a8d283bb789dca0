# A term, longer than a cell may be.
# limit: source
# forms: bash
# options: --source 64KB
# %% send {"session": session, "code": ": $((1" + "+1" * 60_000 + "))"}
