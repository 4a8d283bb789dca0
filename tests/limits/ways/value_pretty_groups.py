# The same with groups in each other.
# limit: value memory
class P:
    def _repr_pretty_(self, p, cycle):
        for i in range(5000):
            p.begin_group(4, "(" * 100)
        p.text("x" * 5_000_000)
P()
