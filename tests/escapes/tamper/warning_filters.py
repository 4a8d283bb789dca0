# warnings.simplefilter for everybody.
# breach: setting
import warnings
warnings.simplefilter("error")
