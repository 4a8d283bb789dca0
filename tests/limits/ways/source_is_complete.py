# Whether long source is complete, completed, and inspected.
# limit: source
# options: --source 64KB
# %% send [{"session": session, "op": op, "code": "(" * 200_000} for op in ("is_complete", "complete", "inspect")]
