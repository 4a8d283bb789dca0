# sys.settrace stays.
# breach: setting
# state: kept
import sys
sys.settrace(lambda *arguments: None)
