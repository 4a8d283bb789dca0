"""display() and what cells import from IPython.display.

A display is a bundle: MIME types with their data. What an object says of itself is asked
by the methods that notebooks have: _repr_mimebundle_, _repr_html_ and the like.
"""
import _snug

_METHODS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"),
    ("_repr_pdf_", "application/pdf"),
)
_NO_METHOD = "_ipython_canary_method_should_not_exist_"
_ids = 0


# ---- bundles --------------------------------------------------------------------

def _method(value, name):
    """The method, where the object has one: a class does not show its instances', and what
    answers every name has none."""
    if isinstance(value, type):
        return None
    try:
        method = getattr(value, name, None)
        if not callable(method) or callable(getattr(value, _NO_METHOD, None)):
            return None
    except Exception:
        return None
    return method


def _ask(value, name, *args, **keywords):
    """What the method answers; None without one, or where it failed, which is reported."""
    try:
        method = _method(value, name)
        return None if method is None else method(*args, **keywords)
    except NotImplementedError:
        return None
    except Exception:
        import sys
        import traceback
        kind, error, trace = sys.exc_info()
        sys.stderr.write("".join(traceback.format_exception(kind, error, trace.tb_next)))
        return None


def _pair(answer):
    """Data, and metadata where the method gave both."""
    return answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)


def rich(value, include=None, exclude=None):
    """The bundle without text/plain, and its metadata."""
    data, metadata = {}, {}
    bundle, more = _pair(_ask(value, "_repr_mimebundle_", include=include, exclude=exclude))
    if isinstance(bundle, dict):
        data.update(bundle)
        metadata.update(more if isinstance(more, dict) else {})
    for name, mime in _METHODS:
        if mime in data:
            continue
        answer, more = _pair(_ask(value, name))
        if answer is not None:
            data[mime] = answer
            if more:
                metadata[mime] = more
    return data, metadata


def _select(data, include, exclude):
    if include is not None:
        data = {mime: data[mime] for mime in data if mime in set(include)}
    if exclude is not None:
        data = {mime: data[mime] for mime in data if mime not in set(exclude)}
    return data


def _parts(data):
    parts = []
    for mime, value in data.items():
        parts.append((str(mime), value, mime.endswith(("/json", "+json"))))
    return parts


class _Captured:
    """A display that %%capture kept."""

    def __init__(self, *arguments):
        self._arguments = arguments

    def display(self):
        _publish(*self._arguments)

    _ipython_display_ = display

    @property
    def data(self):
        return self._arguments[0]


captured = None  # the number of a cell, and the list where its displays go


def _publish(data, metadata, display_id, is_update):
    # A cell that was stopped may have left it behind.
    if captured is not None and captured[0] == _snug.number():
        captured[1].append(_Captured(data, metadata, display_id, is_update))
        return
    _snug.publish(_parts(data), metadata or {}, display_id or "", is_update)


def main_result(value):
    """What the value of a cell shows besides its text; None if it displays itself."""
    if _method(value, "_ipython_display_"):
        value._ipython_display_()
        return None
    data, metadata = rich(value)
    return _parts(data), metadata


# ---- what cells call --------------------------------------------------------------

class DisplayHandle:
    """A display that can be shown again."""

    def __init__(self, display_id=None):
        self.display_id = display_id or _new_id()

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, obj, **keywords):
        display(obj, display_id=self.display_id, **keywords)

    def update(self, obj, **keywords):
        update_display(obj, display_id=self.display_id, **keywords)


def _new_id():
    global _ids
    _ids += 1
    return f"display-{_ids}"


def _show_one(value, include, exclude, metadata, display_id, is_update):
    if _method(value, "_ipython_display_"):
        value._ipython_display_()
        return
    data, found = rich(value, include, exclude)
    if "text/plain" not in data:
        data = {"text/plain": _snug.text(value), **data}
    found.update(metadata or {})
    _publish(_select(data, include, exclude), found, display_id, is_update)


def display(*objs, include=None, exclude=None, metadata=None, transient=None, display_id=None,
            raw=False, clear=False, update=False, **keywords):
    """Show objects where the notebook shows output, each as it describes itself.

    raw: they are bundles, dicts of MIME types and data. display_id: True or a name under
    which update_display() can show something else there; the answer is a handle then.
    """
    if display_id is None and update:
        raise TypeError("display() with update=True needs a display_id")
    if display_id is True:
        display_id = _new_id()
    elif display_id is not None:
        display_id = str(display_id)
    if clear:
        clear_output(wait=True)
    for value in objs:
        if not raw:
            _show_one(value, include, exclude, metadata, display_id, update)
        elif isinstance(value, dict):
            _publish(_select(value, include, exclude), metadata, display_id, update)
        else:
            raise TypeError("display() with raw=True takes dicts of MIME types and data, "
                            f"not {type(value).__name__}")
    return DisplayHandle(display_id) if display_id else None


def update_display(obj, *, display_id, **keywords):
    """Show obj in place of what was displayed under that id."""
    display(obj, display_id=display_id, update=True, **keywords)


def clear_output(wait=False):
    """Forget what the cell has shown so far; with wait, when something new comes."""
    _snug.clear(bool(wait))


def publish_display_data(data, metadata=None, *, transient=None, update=False, **keywords):
    """Show a bundle: a dict of MIME types and data."""
    _publish(data, metadata, (transient or {}).get("display_id"), update)


def _display_as(mime):
    def show(*objs, raw=False, metadata=None):
        """Show objects in one form; with raw, they are data of that form."""
        if raw:
            for data in objs:
                _publish({mime: data}, {mime: metadata} if metadata else None, None, False)
        else:
            display(*objs, include=["text/plain", mime], metadata=metadata)
    return show


display_pretty = _display_as("text/plain")
display_html = _display_as("text/html")
display_markdown = _display_as("text/markdown")
display_svg = _display_as("image/svg+xml")
display_png = _display_as("image/png")
display_jpeg = _display_as("image/jpeg")
display_latex = _display_as("text/latex")
display_json = _display_as("application/json")
display_javascript = _display_as("application/javascript")


# ---- objects that show what they hold ------------------------------------------------

class DisplayObject:
    """Data that is shown by its kind and not as a value."""
    _mode = "r"

    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if data is None and url is not None:
            raise ValueError("a session has no network: give data or filename, not url")
        if data is None and filename is not None:
            with open(filename, self._mode) as file:
                data = file.read()
        self.data = data
        self.filename = filename
        self.metadata = metadata or {}

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} object>"

    def _answer(self):
        return (self.data, self.metadata) if self.metadata else self.data


class TextDisplayObject(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        if data is not None and not isinstance(data, str):
            raise TypeError(f"{type(self).__name__} expects text, not {type(data).__name__}")
        super().__init__(data, url, filename, metadata)


class Pretty(TextDisplayObject):
    def _repr_pretty_(self, p, cycle):
        p.text(self.data)


class HTML(TextDisplayObject):
    def _repr_html_(self):
        return self._answer()

    def __html__(self):
        return self.data


class Markdown(TextDisplayObject):
    def _repr_markdown_(self):
        return self._answer()


class Latex(TextDisplayObject):
    def _repr_latex_(self):
        return self._answer()


class Math(TextDisplayObject):
    def _repr_latex_(self):
        text = "$\\displaystyle " + self.data.strip("$") + "$"
        return (text, self.metadata) if self.metadata else text


class SVG(DisplayObject):
    def _repr_svg_(self):
        data = self.data.decode() if isinstance(self.data, bytes) else self.data
        start = data.find("<svg")
        return data[start:] if start > 0 else data


class JSON(DisplayObject):
    def __init__(self, data=None, url=None, filename=None, expanded=False, metadata=None,
                 root="root", **keywords):
        super().__init__(data, url, filename, metadata)
        self.metadata = {"expanded": expanded, "root": root, **self.metadata, **keywords}
        if isinstance(self.data, str):
            import json
            self.data = json.loads(self.data)

    def _repr_json_(self):
        return self._answer()


class Javascript(TextDisplayObject):
    def _repr_javascript_(self):
        return self._answer()


class Code(TextDisplayObject):
    def __init__(self, data=None, url=None, filename=None, language=None):
        super().__init__(data, url, filename)
        self.language = language or "python"

    def _repr_markdown_(self):
        return f"```{self.language}\n{self.data}\n```"

    def __repr__(self):
        return self.data


class Image(DisplayObject):
    _mode = "rb"
    _kinds = ((b"\x89PNG\r\n\x1a\n", "png", "image/png"), (b"\xff\xd8", "jpeg", "image/jpeg"),
              (b"GIF8", "gif", "image/gif"), (b"RIFF", "webp", "image/webp"))

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None,
                 height=None, retina=False, unconfined=False, metadata=None, alt=None):
        if isinstance(data, str) and filename is None:
            data, filename = None, data
        super().__init__(data, url, filename, metadata)
        if not isinstance(self.data, bytes):
            raise TypeError(f"Image expects bytes or a file's name, not {type(data).__name__}")
        found = [mime for start, kind, mime in self._kinds
                 if format in (kind, "jpg" if kind == "jpeg" else kind)
                 or format is None and self.data.startswith(start)]
        self.mime = found[0] if found else "image/png"
        for name, value in (("width", width), ("height", height), ("alt", alt)):
            if value is not None:
                self.metadata = {**self.metadata, name: value}

    def _repr_mimebundle_(self, include=None, exclude=None):
        metadata = {self.mime: self.metadata} if self.metadata else {}
        return {self.mime: self.data}, metadata


class ProgressBar(DisplayObject):
    """An iterator that shows how far it is."""

    def __init__(self, total):
        super().__init__("")
        self.total, self._progress, self._handle = total, -1, _new_id()

    def __repr__(self):
        done = int(60 * self.progress / self.total) if self.total else 60
        return f"[{'=' * done}{' ' * (60 - done)}] {self.progress}/{self.total}"

    def _repr_html_(self):
        return f"<progress max='{self.total}' value='{self.progress}'></progress>"

    @property
    def progress(self):
        return max(self._progress, 0)

    @progress.setter
    def progress(self, value):
        self._progress = value
        update_display(self, display_id=self._handle)

    def __iter__(self):
        display(self, display_id=self._handle)
        self._progress = -1
        return self

    def __next__(self):
        self.progress = self._progress + 1
        if self._progress >= self.total:
            raise StopIteration
        return self._progress


__all__ = [_name for _name in globals()
           if _name[0] != "_" and _name not in ("captured", "main_result", "rich")]
for _thing in list(globals().values()):
    if isinstance(_thing, type):
        _thing.__module__ = "IPython.core.display"
DisplayHandle.__module__ = "IPython.core.display_functions"
