# __lt__ loops and swallows below list.sort.
# expect: rung 1
# when: sort key
class Key:
    def __lt__(self, other):
        while True:
            try:
                while True:
                    pass
            except:
                pass
sorted([Key(), Key()])
