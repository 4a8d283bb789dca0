# sys.path gets another folder.
# breach: setting
import sys
sys.path.append(OUTSIDE)
