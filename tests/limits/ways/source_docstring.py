# A docstring, longer than a cell may be.
# limit: source
# options: --source 64KB
# %% send {"session": session, "code": 'def f():\n  """' + "d" * 200_000 + '"""'}
