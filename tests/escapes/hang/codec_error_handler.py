# An error handler of codecs that always answers the position it was asked for.
# expect: rung 1
import codecs
codecs.register_error("escape.stay", lambda error: ("", error.start))
"\udc80".encode("utf-8", "escape.stay")
