# Names whose values have classes with long names.
# limit: answer
C = type("T" * 100_000, (), {})
for i in range(300):
    globals()[f"a{i}"] = C()
# %% send {"session": session, "op": "vars"}
