# The level and the handlers of the root logger.
# breach: setting
# state: kept
import logging
logging.basicConfig(level=1)
