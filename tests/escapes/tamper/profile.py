# sys.setprofile stays.
# breach: setting
import sys
sys.setprofile(lambda *arguments: None)
