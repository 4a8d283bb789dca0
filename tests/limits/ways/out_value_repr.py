# A value whose repr is made, and in characters that grow.
# limit: value answer
class V:
    def __repr__(self):
        return "\x01\U0001f600" * 3_000_000
V()
