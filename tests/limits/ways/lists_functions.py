# Functions with long names and signatures.
# limit: lists answer
for i in range(900):
    exec(f'def ' + 'f' * 500 + f'{i}({"a" * 500}=1): pass')
# %% send {"session": session, "op": "vars"}
# %% complete d
