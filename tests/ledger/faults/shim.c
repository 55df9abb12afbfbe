/* Lets the N-th fsync or fdatasync, or the N-th write to a file, fail with a chosen error, and every later one too.

   SHIM_CALL=fsync|write  SHIM_AFTER=N  SHIM_ERROR=EIO|ENOSPC, by number; for LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(const char *call) {
    static long left = -1;
    const char *wanted = getenv("SHIM_CALL");
    if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
    if (left < 0) left = atol(getenv("SHIM_AFTER"));
    if (left > 0) { left--; return 0; }
    errno = atoi(getenv("SHIM_ERROR"));
    return 1;
}

int fsync(int file) {
    static int (*real)(int);
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return fails("fsync") ? -1 : real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return fails("fsync") ? -1 : real(file);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (real == NULL) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    return fails("write") ? -1 : real(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    return pwrite64(file, data, size, at);
}
