"""A program in Python that has snug by ctypes: host.py LIBRARY. It prints a line for each step.

It runs on every Python 3 from 3.6 on. Its own Python runs in this process, and so the local form is refused.
"""
import ctypes
import sys

FORMS = {"local": 0, "worker": 1}  # snug_form
VALUE = 0  # SNUG_STREAM_VALUE
EPYTHON = -4  # SNUG_EPYTHON


class HostOptions(ctypes.Structure):
    """The first members of snug_host_options: an older caller's struct, as far as the library can tell."""
    _fields_ = [("size", ctypes.c_size_t), ("form", ctypes.c_int), ("python_home", ctypes.c_char_p),
                ("allowlist_dir", ctypes.c_char_p), ("flags", ctypes.c_uint), ("kick_signal", ctypes.c_int)]


class Failure(Exception):
    def __init__(self, code):
        super().__init__(snug.snug_error_name(code).decode(), snug.snug_error_message().decode())


def load(path):
    library = ctypes.CDLL(path)
    for name in ("snug_error_name", "snug_error_message", "snug_result_text", "snug_status_name"):
        getattr(library, name).restype = ctypes.c_char_p
    for name in ("snug_session_close", "snug_result_free"):
        getattr(library, name).restype = None
    return library


def check(code):
    if code:
        raise Failure(code)


def open_host(form):
    options, host = HostOptions(form=FORMS[form]), ctypes.c_void_p()
    options.size = ctypes.sizeof(options)
    check(snug.snug_host_open(ctypes.byref(host), ctypes.byref(options)))
    return host


def run(session, code):
    result, source = ctypes.c_void_p(), code.encode()
    check(snug.snug_session_run(ctypes.byref(result), session, source, ctypes.c_size_t(len(source)), None))
    said = snug.snug_status_name(snug.snug_result_status(result)), snug.snug_result_text(result, VALUE, None)
    snug.snug_result_free(result)
    return " ".join(text.decode() for text in said).strip()


def main():
    try:
        open_host("local")
    except Failure as failure:
        print("local:", failure.args[0])
    host, session = open_host("worker"), ctypes.c_void_p()
    check(snug.snug_session_open(ctypes.byref(session), host, None))
    print("worker:", run(session, "import json; x = json.loads('[6, 7]'); x[0] * x[1]"))
    print("error:", run(session, "1 / 0"))
    print("version:", run(session, "import sys; sys.version_info[:2]"))
    print("here:", tuple(sys.version_info[:2]))
    snug.snug_session_close(session)
    check(snug.snug_host_close(host))
    print("closed")


snug = load(sys.argv[1])
main()
