# Each cell has one, and so has the history.
# limit: displays answer memory
# rounds: 10
class M:
    def _repr_html_(self):
        return "h" * 9_000_000
M()
