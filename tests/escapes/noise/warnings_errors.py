# Turns all warnings into errors and forgets the filters.
# expect: ok
# state: kept
# when: run
import warnings
warnings.simplefilter("error")
warnings.resetwarnings()
