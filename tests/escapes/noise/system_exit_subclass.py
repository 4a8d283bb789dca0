# A SystemExit whose code raises, loops and lies.
# expect: ok or error
class Leave(SystemExit):
    @property
    def code(self):
        raise SystemExit(9)
raise Leave(5)
