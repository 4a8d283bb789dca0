"""What packages find in a full session: folders, threads, and how they show their values.

No promise rests on it: the process is the boundary.
"""
import os
import sys
import _thread

_BACKEND = "module://_snug_inline"
_MOST_SVG = 2 << 20


# ---- the session --------------------------------------------------------------------

def begin(workdir):
    """Packages keep their caches and configuration in the work directory."""
    # pandas shortens a frame to a few columns more than that.
    os.environ.update(COLUMNS="75", HOME=workdir, TMPDIR=workdir, XDG_CACHE_HOME=workdir + "/.cache",
                      XDG_CONFIG_HOME=workdir + "/.config", MPLBACKEND=_BACKEND,
                      MPLCONFIGDIR=workdir + "/.cache/matplotlib")
    for name, function in (("chmod", _chmod), ("utime", _utime)):
        setattr(os, name, function)
        setattr(sys.modules["posix"], name, function)
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = None
    if "threading" in sys.modules:
        _take_threading(sys.modules["threading"])


def _take_threading(threading):
    """It was imported before the session's thread was there, and took what starts threads from
    Python."""
    for theirs, ours in (("_start_new_thread", "start_new_thread"),
                         ("_start_joinable_thread", "start_joinable_thread"),
                         ("_ThreadHandle", "_ThreadHandle"),
                         ("_daemon_threads_allowed", "daemon_threads_allowed"),
                         ("_excepthook", "_excepthook"), ("excepthook", "_excepthook"),
                         ("_get_main_thread_ident", "_get_main_thread_ident")):
        if hasattr(threading, theirs) and hasattr(_thread, ours):
            setattr(threading, theirs, getattr(_thread, ours))
    main = threading._main_thread
    threading._active.clear()
    main._set_ident()
    if hasattr(main, "_set_native_id"):
        main._set_native_id()
    threading._active[main._ident] = main


def _by_descriptor(function):
    """Of an open file only: by its path, the kernel refuses to a session what it would not judge."""
    def call(path, *args, dir_fd=None, follow_symlinks=True, **keywords):
        if isinstance(path, int):
            return function(path, *args, **keywords)
        number = os.open(path, os.O_RDONLY | (0 if follow_symlinks else os.O_NOFOLLOW), dir_fd=dir_fd)
        try:
            return function(number, *args, **keywords)
        finally:
            os.close(number)
    call.__name__, call.original = function.__name__, function
    return call


_chmod = _by_descriptor(os.fchmod)
_utime = _by_descriptor(getattr(os.utime, "original", os.utime))


# ---- packages -----------------------------------------------------------------------

def adopt(module):
    """A package that a session has imported, or finds imported."""
    name = module.__name__
    if name in _ADOPT and name not in _adopted:
        _adopted.add(name)
        _ADOPT[name](name)


def adopt_loaded():
    for name in _ADOPT:
        if name in sys.modules:
            adopt(sys.modules[name])


# The text of a cell's value is short; what is printed, and HTML, is as in any notebook. What a cell
# has set itself is kept.
_PANDAS = {"display.max_rows": (60, 10), "display.max_columns": (20, 0)}


def _adopt_pandas(name):
    pandas = sys.modules[name]
    for option, (value, _) in _PANDAS.items():
        pandas.set_option(option, value)
    pandas.set_option("display.width", 80)
    pandas.set_option("display.notebook_repr_html", True)

    def _repr_pretty_(value, p, cycle):
        words = []
        for option, (usual, short) in _PANDAS.items():
            now = pandas.get_option(option)
            words += option, short if now == usual else now
        with pandas.option_context(*words):
            text = repr(value)
        p.lines(text)
    pandas.DataFrame._repr_pretty_ = pandas.Series._repr_pretty_ = _repr_pretty_


def _adopt_matplotlib(name):
    matplotlib = sys.modules[name]
    matplotlib.rcParams["backend"] = _BACKEND
    import matplotlib.figure
    matplotlib.figure.Figure._repr_mimebundle_ = _bundle_of_figure


def _adopt_tqdm(name):
    """No thread that looks at bars: a cell would wait for it."""
    sys.modules[name].tqdm.monitor_interval = 0


_adopted = set()
_ADOPT = {"pandas": _adopt_pandas, "matplotlib": _adopt_matplotlib, "tqdm": _adopt_tqdm}


# ---- figures ------------------------------------------------------------------------

def _bundle_of_figure(figure, include=None, exclude=None):
    import io
    if len(figure.get_children()) < 2:
        return {}  # nothing but the background: its text says so
    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", bbox_inches="tight")
    bundle = {"image/png": png.getvalue()}
    figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
    if svg.tell() <= _MOST_SVG:
        # A part of a page: with a prolog, nbconvert makes no HTML of a notebook.
        text = svg.getvalue().decode()
        bundle["image/svg+xml"] = text[text.index("<svg"):]
    return bundle


def _managers():
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    managers = helpers.Gcf.get_all_fig_managers() if helpers else ()
    return sorted(managers, key=lambda manager: manager.num)


def show_figures(value=None):
    """Those that pyplot has, in their order; then they are closed."""
    managers = _managers()
    if not managers:
        return
    import _snug_display
    try:
        for manager in managers:
            figure = manager.canvas.figure
            if figure is not value:
                bundle = {"text/plain": repr(figure), **_bundle_of_figure(figure)}
                _snug_display.publish_display_data(bundle)
    finally:
        drop_figures()


def drop_figures(ignored=None):
    if _managers():
        sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()
