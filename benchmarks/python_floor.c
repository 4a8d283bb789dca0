/*
 * python_floor.c - the libpython that snug_bench runs on, without snug: what it
 * does with floor.py is the floor of that very build.
 */
#include <Python.h>

int main(int argc, char **argv)
{
    return Py_BytesMain(argc, argv);
}
