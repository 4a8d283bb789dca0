# sys.settrace stays.
# breach: setting
import sys
sys.settrace(lambda *arguments: None)
