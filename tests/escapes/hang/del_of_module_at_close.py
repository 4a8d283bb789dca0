# A finalizer without end of what a module's attribute keeps: it runs when the interpreter itself ends.
# expect: rung 1
# when: close
import json


class A:
    def __del__(self):
        while True:
            pass


json.kept = A()
