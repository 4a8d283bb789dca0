# __eq__ loops and swallows in a dict lookup.
# expect: rung 1
class Key:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
table = {Key(): 1}
table.get(Key())
