# Calls in weak references' callbacks.
# limit: tool_calls
# options: --tool "echo=cat"
import weakref
class A:
    pass
for i in range(40):
    a = A()
    w = weakref.ref(a, lambda r: echo(x=1))
    del a
