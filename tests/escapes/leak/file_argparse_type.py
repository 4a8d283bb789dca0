# argparse.FileType opens an argument.
# breach: secret
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("file", type=argparse.FileType())
parser.parse_args([SECRET_FILE]).file.read()
