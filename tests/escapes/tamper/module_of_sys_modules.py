# sys.modules["json"] is something else.
# breach: setting
# state: kept
import json, re, sys
sys.modules["json"] = sys.modules["re"]
