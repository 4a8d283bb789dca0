# The same in characters that take six bytes each as JSON.
# limit: memory displays answer
class Rich:
    def _repr_mimebundle_(self, include=None, exclude=None):
        text = "\x01" * (8 << 20)
        return {f"text/x-{i}": text for i in range(31)}
Rich()
