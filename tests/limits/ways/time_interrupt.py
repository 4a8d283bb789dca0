# Is interrupted, and goes on in a handler of its own.
# limit: wall cpu
# %% send [{"session": session, "code": "while True:\n  try:\n    while True: pass\n  except BaseException: pass"}, {"session": session, "op": "interrupt"}]
