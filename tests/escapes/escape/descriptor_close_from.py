# os.closerange to the last descriptor is closefrom(3), which aborts where close_range is denied.
# breach: setting
# only: 3.13
import os
os.closerange(3, 2**31 - 1)
