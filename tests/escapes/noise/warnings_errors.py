# Turns all warnings into errors and forgets the filters.
# expect: ok
import warnings
warnings.simplefilter("error")
warnings.resetwarnings()
