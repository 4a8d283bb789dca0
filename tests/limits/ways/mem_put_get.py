# Has a sparse file of 60 MB read back by the host as JSON.
# limit: memory answer
# forms: local worker full bash
# options: --disk 100MB
with open("hole", "wb") as f:
    f.truncate(60_000_000)
# %% send {"session": session, "op": "get", "path": "hole"}
