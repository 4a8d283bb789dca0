# A staticmethod that was never initialised is called: CPython follows a null pointer.
# expect: crash
# state: lost
# when: run
staticmethod.__new__(staticmethod)()
