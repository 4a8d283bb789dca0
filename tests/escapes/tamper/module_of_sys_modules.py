# sys.modules["json"] is something else.
# breach: setting
import json, re, sys
sys.modules["json"] = sys.modules["re"]
