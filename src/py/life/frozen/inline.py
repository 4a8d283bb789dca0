"""matplotlib's backend in a full session: figures are drawn by Agg, and shown as displays."""
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FigureCanvas, FigureManager = FigureCanvasAgg, FigureManagerBase


def show(*args, **keywords):
    """Here and now, instead of at the cell's end."""
    import _snug_full
    _snug_full.show_figures()
