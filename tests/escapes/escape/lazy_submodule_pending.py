# A submodule that a cell may not have is marked as one to load when its package is asked for it.
# breach: secret
# only: 3.15+
import logging
lazy from logging import config
logging.config.os.pread(SECRET_FD, 100, 0)
