/* imagefile.c -- the image under a name, for debuggers: they read it again and again, and cannot open a memfd by its name.

   It lies in a private directory such as ompls/runtime/scratch.py makes.  The device process locks that, so that what a
   killed one leaves is removed by the next build; it removes it itself when the program was killed (process.cpp). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim.h"

static bool write_file(const char *path, mode_t mode, const unsigned char *bytes, uint64_t size) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    uint64_t done = 0;
    while (file >= 0 && done < size) {
        ssize_t now = write(file, bytes + done, size - done);
        if (now < 0 && errno != EINTR) break;
        if (now > 0) done += (uint64_t)now;
    }
    return file >= 0 && close(file) == 0 && done == size;
}

static bool path_in(const sim_device *d, const char *name, char *path, size_t size) {
    const char *directory = d->control->image_directory;
    return directory[0] != '\0' && snprintf(path, size, "%s/%s", directory, name) < (int)size;
}

bool sim_image_path(const sim_device *d, char *path, size_t size) {
    return path_in(d, SIM_IMAGE_FILE, path, size);
}

void sim_keep_image(sim_device *d) {
    const char *asked = secure_getenv("TMPDIR");
    char made[PATH_MAX], directory[PATH_MAX], path[PATH_MAX];
    snprintf(made, sizeof made, "%s/ompls-g_XXXXXX", asked != NULL && asked[0] != '\0' ? asked : "/tmp");
    if (mkdtemp(made) == NULL) return;
    /* Not a relative path: it does not matter where the program is when it ends. */
    if (realpath(made, directory) == NULL || strlen(directory) >= sizeof d->control->image_directory) {
        rmdir(made);
        return;
    }
    strcpy(d->control->image_directory, directory);
    if (!path_in(d, SIM_LOCK_FILE, path, sizeof path) || !write_file(path, 0600, NULL, 0) || !sim_image_path(d, path, sizeof path) ||
        !write_file(path, 0700, d->image, d->image_size))
        sim_drop_image(d);
}

void sim_drop_image(sim_device *d) {
    char path[PATH_MAX];
    if (sim_image_path(d, path, sizeof path)) unlink(path);
    if (path_in(d, SIM_LOCK_FILE, path, sizeof path)) unlink(path);
    if (d->control->image_directory[0] != '\0') rmdir(d->control->image_directory);
    d->control->image_directory[0] = '\0';
}
