# Registers codecs and error handlers that take over utf-8, ascii and strict.
# expect: ok or error
import codecs
def broken(*a):
    raise BaseException("codec")
codecs.register(broken)
codecs.register_error("strict", broken)
codecs.register_error("replace", broken)
codecs.register_error("backslashreplace", broken)
"\udc80\u2603".encode("ascii", "replace")
