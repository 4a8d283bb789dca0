# sys.path gets another folder.
# breach: setting
# state: kept
import sys
sys.path.append(OUTSIDE)
