"""What a cell gets for `import IPython`: the displays, and no shell."""
import _snug_display as display

version_info = (8, 0, 0, "")
__version__ = "8.0.0"


def get_ipython():
    """None, as outside of IPython: what asks goes the way of a plain script."""
    return None


class core:
    display = display
