# An exception whose text, notes and cause take for ever.
# limit: wall cpu
# forms: local worker full bash
class E(Exception):
    def __str__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
    __repr__ = __str__
    @property
    def __notes__(self):
        self.__str__()
raise E
