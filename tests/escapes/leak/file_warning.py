# A warning that claims to come from the file shows its line.
# breach: secret
import warnings
warnings.formatwarning("m", UserWarning, SECRET_FILE, 1)
