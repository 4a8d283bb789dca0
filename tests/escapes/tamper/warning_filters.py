# warnings.simplefilter for everybody.
# breach: setting
# state: kept
import warnings
warnings.simplefilter("error")
