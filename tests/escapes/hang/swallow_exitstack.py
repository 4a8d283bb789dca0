# Callbacks of an ExitStack push further callbacks while it unwinds.
# expect: rung 1
import contextlib
stack = contextlib.ExitStack()
def again(*error):
    stack.push(again)
    return True
with stack:
    stack.push(again)
