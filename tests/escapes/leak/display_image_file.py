# A file of the host is shown as a picture.
# breach: secret
try:
    from IPython.display import Image
except ImportError:
    class Image:
        def __init__(self, filename):
            with open(filename, "rb") as file:
                self.data = file.read()
print(Image(filename=SECRET_FILE).data)
