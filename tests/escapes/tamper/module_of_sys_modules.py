# sys.modules["json"] is something else.
# breach: setting
# state: kept
import sys
sys.modules["json"] = sys.modules["re"]
