# argparse takes arguments from the file and complains of them.
# breach: secret
import argparse
argparse.ArgumentParser(fromfile_prefix_chars="@").parse_args(["@" + SECRET_FILE])
