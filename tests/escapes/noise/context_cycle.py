# An exception that is its own context and cause leaves the cell.
# expect: error
# when: report
a, b, c = ValueError("a"), ValueError("b"), ValueError("c")
a.__context__, b.__context__, c.__context__ = b, c, b
a.__cause__, b.__cause__ = b, a
try:
    raise a
except ValueError:
    raise c
