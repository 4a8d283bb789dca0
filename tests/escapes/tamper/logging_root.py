# The level and the handlers of the root logger.
# breach: setting
import logging
logging.basicConfig(level=1)
