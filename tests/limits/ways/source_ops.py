# Operations with large parts: completion, inspection, paths, identities.
# limit: source memory answer
# forms: local worker full bash
# %% send {"session": session, "op": "complete", "code": "x" * (8 << 20)}
# %% send {"session": session, "op": "inspect", "code": "(" * (8 << 20)}
# %% send {"session": session, "op": "is_complete", "code": "(" * (8 << 20)}
# %% send {"session": session, "op": "get", "path": "p" * (8 << 20)}
# %% send {"session": session, "id": "i" * 100_000, "code": "1"}
