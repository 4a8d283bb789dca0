# sys.set_coroutine_origin_tracking_depth.
# breach: setting
# state: kept
import sys
sys.set_coroutine_origin_tracking_depth(50)
