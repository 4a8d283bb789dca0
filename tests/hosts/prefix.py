"""Installs the build that SNUG_BUILD names into hosts/prefix of it, for the other drivers."""
import shutil

from outside import BUILD, PREFIX, command

shutil.rmtree(PREFIX, ignore_errors=True)
command("cmake", "--install", BUILD, "--prefix", PREFIX)
print(PREFIX)
