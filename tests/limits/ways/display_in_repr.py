# Displays that are made while another describes itself.
# limit: displays
class D:
    def _repr_html_(self):
        for i in range(30):
            display({"text/html": "i" * 100_000}, raw=True)
        return "o" * 100_000
display(D())
D()
