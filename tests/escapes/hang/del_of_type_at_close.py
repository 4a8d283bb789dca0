# The same of an attribute of a class of the library, with a finalizer that catches the stop once.
# expect: rung 1
# when: close
import json


class A:
    def __del__(self):
        try:
            while True:
                pass
        except BaseException:
            pass


json.JSONEncoder.kept = A()
