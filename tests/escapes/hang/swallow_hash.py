# __hash__ loops and swallows when a set is made.
# expect: rung 1
class Key:
    def __hash__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
{Key()}
