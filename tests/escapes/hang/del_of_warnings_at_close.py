# A finalizer without end of what the interpreter itself keeps beside its modules: it runs behind most of its end.
# expect: rung 1
# when: close
import warnings


class A(str):
    def __del__(self):
        while True:
            pass


warnings.filters.append(("ignore", None, Warning, None, A()))
