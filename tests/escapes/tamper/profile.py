# sys.setprofile stays.
# breach: setting
# state: kept
import sys
sys.setprofile(lambda *arguments: None)
