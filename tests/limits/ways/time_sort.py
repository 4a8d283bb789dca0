# Sorts with keys and comparisons that never end.
# limit: wall cpu
# forms: local worker full bash
class K:
    def __lt__(self, other):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
sorted([K(), K()])
