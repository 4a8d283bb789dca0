# sys.set_coroutine_origin_tracking_depth.
# breach: setting
import sys
sys.set_coroutine_origin_tracking_depth(50)
