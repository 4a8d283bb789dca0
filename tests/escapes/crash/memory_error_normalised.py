# An exception class whose constructor finds no memory, raised from C again and again.
# expect: error or memory or recursion
# state: any
# when: report
class Hungry(Exception):
    def __init__(self, *arguments):
        raise Hungry
raise Hungry
