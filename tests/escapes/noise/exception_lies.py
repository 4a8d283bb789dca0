# An exception whose attributes, str, class and traceback all lie or raise.
# expect: error
# when: report
class Liar(Exception):
    def __getattribute__(self, name):
        raise SystemExit(name)
    def __str__(self):
        return 5
    __repr__ = __str__
    __class__ = int
raise Liar("x", "y")
