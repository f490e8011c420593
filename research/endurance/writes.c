/* Notes every change of files under $LYCOSA_WRITES_OF in the file $LYCOSA_WRITES_TO. Loaded with LD_PRELOAD.

   A note is: what (one letter), length of the path, a number, length of the data; then path and data. One write to a
   file that is opened for appending, so that notes of several processes stay whole and in order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct note { char what; char pad[3]; uint32_t path; uint64_t number; uint64_t data; };

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_open)(const char *, int, ...);
static int notes = -1;
static const char *below;

static void begin(void) {
    if (real_write) return;
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_open = dlsym(RTLD_NEXT, "open64");
    below = getenv("LYCOSA_WRITES_OF");
    const char *to = getenv("LYCOSA_WRITES_TO");
    if (below && to) notes = real_open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    real_write = dlsym(RTLD_NEXT, "write");
}

static int is_ours(const char *path) {
    size_t long_ = strlen(path);
    return below && !strncmp(path, below, strlen(below)) && !(long_ > 4 && !strcmp(path + long_ - 4, "-shm"));
}

static void tell(char what, const char *path, uint64_t number, const void *data, size_t length) {
    if (notes < 0 || !is_ours(path)) return;
    struct note note = {what, {0}, strlen(path), number, length};
    struct iovec parts[3] = {{&note, sizeof note}, {(void *)path, note.path}, {(void *)data, length}};
    if (writev(notes, parts, 3) < 0) _exit(99);
}

static const char *name_of(int fd, char *room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, room, PATH_MAX - 1);
    room[length < 0 ? 0 : length] = 0;
    return room;
}

ssize_t write(int fd, const void *data, size_t length) {
    char room[PATH_MAX];
    begin();
    ssize_t written = real_write(fd, data, length);
    if (written > 0 && notes >= 0 && is_ours(name_of(fd, room))) {
        off_t end = lseek(fd, 0, SEEK_CUR);
        if (end >= written) tell('W', room, end - written, data, written);
    }
    return written;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) {
    char room[PATH_MAX];
    begin();
    ssize_t written = real_pwrite(fd, data, length, at);
    if (written > 0) tell('W', name_of(fd, room), at, data, written);
    return written;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return pwrite64(fd, data, length, at); }

static int opened(int fd, const char *path, int flags) {
    char room[PATH_MAX];
    if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) && is_ours(name_of(fd, room))) {
        struct stat64 found;
        if (!fstat64(fd, &found) && S_ISREG(found.st_mode)) tell(flags & O_TRUNC ? 'T' : 'C', room, 0, "", 0);
    }
    (void)path;
    return fd;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open64(const char *path, int flags, ...) { MODE(flags) begin(); return opened(real_open(path, flags, mode), path, flags); }
int open(const char *path, int flags, ...) { MODE(flags) begin(); return opened(real_open(path, flags, mode), path, flags); }

#define PASSED(name, parameters, arguments, fd, what, number) \
    int name parameters { \
        char room[PATH_MAX]; \
        static int (*real) parameters; \
        begin(); \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        int result = real arguments; \
        if (!result && notes >= 0) tell(what, name_of(fd, room), number, "", 0); \
        return result; \
    }

PASSED(fsync, (int fd), (fd), fd, 'S', 0)
PASSED(fdatasync, (int fd), (fd), fd, 'S', 0)
PASSED(ftruncate, (int fd, off_t size), (fd, size), fd, 'T', size)
PASSED(ftruncate64, (int fd, off64_t size), (fd, size), fd, 'T', size)

static void absolute(const char *path, char *room) {
    if (path[0] == '/') { snprintf(room, PATH_MAX, "%s", path); return; }
    char here[PATH_MAX / 2];
    snprintf(room, PATH_MAX, "%s/%s", getcwd(here, sizeof here) ? here : "", path);
}

int rename(const char *from, const char *to) {
    char one[PATH_MAX], other[PATH_MAX];
    static int (*real)(const char *, const char *);
    begin();
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    int result = real(from, to);
    if (!result) { absolute(from, one); absolute(to, other); tell('R', one, 0, other, strlen(other)); }
    return result;
}

int unlink(const char *path) {
    char one[PATH_MAX];
    static int (*real)(const char *);
    begin();
    if (!real) real = dlsym(RTLD_NEXT, "unlink");
    int result = real(path);
    if (!result) { absolute(path, one); tell('U', one, 0, "", 0); }
    return result;
}
