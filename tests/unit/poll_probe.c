/* Stands for an extension module: asks CPython, whichever that is for a library. */
extern int PyErr_CheckSignals(void);
extern int Py_MakePendingCalls(void);
__attribute__((visibility("default"))) int probe_check_signals(void);
__attribute__((visibility("default"))) int probe_make_pending_calls(void);

int probe_check_signals(void)
{
    return PyErr_CheckSignals();
}

int probe_make_pending_calls(void)
{
    return Py_MakePendingCalls();
}
