# An object that prints itself to IPython's printer, without an end.
# limit: value memory
class P:
    def _repr_pretty_(self, p, cycle):
        for i in range(300_000):
            p.text("p" * 100)
            p.breakable()
P()
