# Metadata of the value, large and deep.
# limit: displays answer
class M:
    def _repr_html_(self):
        return "x", {"m" * 100_000: "v" * 3_000_000}
    def _repr_mimebundle_(self, **keywords):
        return {"text/markdown": "y"}, {"text/markdown": {"z" * 1000: ["w" * 1000] * 3000}}
M()
