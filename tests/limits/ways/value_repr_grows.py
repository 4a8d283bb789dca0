# A repr that is longer each time that it is asked.
# limit: value memory
# rounds: 6
class G:
    n = 1000
    def __repr__(self):
        G.n *= 8
        return "g" * min(G.n, 20_000_000)
g = globals().get("g") or G()
[g] * 10
