# An exception whose str never ends leaves the cell.
# expect: rung 1 or error
# when: report
class Endless(Exception):
    def __str__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
raise Endless
