# Calls from a module of the work directory.
# limit: tool_calls
# options: --tool "echo=cat"
open('calls.py', 'w').write('import __main__\nfor i in range(50):\n  try: __main__.echo(x=i)\n  except Exception: pass\n')
# %% cell
%run calls.py
