# The cell's value describes itself as HTML, SVG and text.
# limit: displays answer
# quick:
class M:
    def _repr_html_(self):
        return "h" * 9_000_000
    def _repr_svg_(self):
        return "<svg>" + "s" * 9_000_000
    def _repr_markdown_(self):
        return "\x01" * 2_000_000
M()
