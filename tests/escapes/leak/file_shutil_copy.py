# shutil.copyfile into the work directory.
# breach: secret
import shutil
shutil.copyfile(SECRET_FILE, "copy.txt")
with open("copy.txt") as file:
    text = file.read()
text
