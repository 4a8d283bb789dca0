/*
 * typed.h - the values of programs as Python has them, and back.
 *
 * The caller holds the interpreter. Objects of the guest's may run code when they are written
 * (__index__, __float__, an iterator).
 */
#ifndef SNUG_PY_TYPED_H
#define SNUG_PY_TYPED_H

#include "py/core/program.h"
#include "py/core/python.h"

/* A new object, which shares nothing with the value; NULL with an exception. wanted: the input's
 * type, by which an int becomes a float. */
PyObject *typed_read(const snug_value *value, snug_type wanted);
/* The same for the row of a column. */
PyObject *typed_read_row(const snug_column *column, uint64_t row, snug_type wanted);
/* Writes the object as a value of that type, its text or array to data, which is empty. 0, or -1
 * with an exception. */
int typed_write(snug_value *out, str *data, PyObject *object, snug_type wanted,
                uint64_t most_bytes);
/* Appends it to a column of the column's type, which has at most that many bytes. The same. */
int typed_write_row(program_column *out, PyObject *object, uint64_t most_bytes);

#endif
