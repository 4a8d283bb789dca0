# Behind a link "..", which the text takes for the way back to the work directory.
# breach: setting folder
import os
os.stat(os.path.abspath("data") + "/below/../..").st_ino
