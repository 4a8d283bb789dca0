# A submodule that a cell may not have is named by a text instead of a tuple of names.
# breach: secret
# only: 3.15+
import logging
held = [__lazy_import__("logging", globals(), None, "handlers")]
logging.handlers.os.pread(SECRET_FD, 100, 0)
