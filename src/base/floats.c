#include "base/floats.h"

#if defined(__x86_64__)

/* fegetenv and fesetenv cost as much as a part of a small cell, and change nothing most often. */
#define DEFAULT_CONTROL 0x37fU
#define DEFAULT_MXCSR   0x1f80U
#define FLAGS           0x3fU

static unsigned int control(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    return word;
}

static unsigned int flags(void)
{
    unsigned short word;
    __asm__ volatile("fnstsw %0" : "=a"(word));
    return word & FLAGS;
}

void floats_begin(floats *before)
{
    before->mxcsr = __builtin_ia32_stmxcsr();
    before->control = control();
    before->flags = flags();
    before->is_other =
        before->control != DEFAULT_CONTROL || (before->mxcsr & ~FLAGS) != DEFAULT_MXCSR;
    if (before->is_other) {
        fegetenv(&before->kept);
        fesetenv(FE_DFL_ENV);
    }
}

void floats_end(const floats *before)
{
    if (before->is_other) {
        fesetenv(&before->kept);
        return;
    }

    if (control() != before->control || flags() != before->flags) {
        fenv_t now;
        fegetenv(&now);
        now.__control_word = (unsigned short)before->control;
        now.__status_word = (unsigned short)((now.__status_word & ~FLAGS) | before->flags);
        fesetenv(&now);
    }

    if (__builtin_ia32_stmxcsr() != before->mxcsr)
        __builtin_ia32_ldmxcsr(before->mxcsr);
}

#else

void floats_begin(floats *before)
{
    before->is_other = 1;
    fegetenv(&before->kept);
    fesetenv(FE_DFL_ENV);
}

void floats_end(const floats *before)
{
    fesetenv(&before->kept);
}

#endif

void floats_reset(void)
{
    fesetenv(FE_DFL_ENV);
}
