# os.path.relpath climbs from the current folder.
# breach: secret
import os
os.path.relpath("/a", "..") , os.path.abspath("."), os.path.commonpath([os.path.abspath("a"), os.path.abspath("b")])
