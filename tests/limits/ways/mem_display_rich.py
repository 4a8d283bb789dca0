# Shows an object that describes itself in thirty kinds of 8 MiB each, as the cell's value.
# limit: memory displays answer
# quick:
class Rich:
    def _repr_mimebundle_(self, include=None, exclude=None):
        text = "a" * (8 << 20)
        return {f"text/x-{i}": text for i in range(31)}
Rich()
