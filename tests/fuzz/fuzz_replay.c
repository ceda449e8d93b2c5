/* fuzz_replay.c - a main() for fuzz targets that are built without libFuzzer.
 *
 * Hands each file named on the command line to the target, so that the corpus
 * is part of make check with any compiler. Every input gets a block of exactly
 * its own size: reading one byte too far is then seen by the sanitizers. As in
 * libFuzzer, a target that has LLVMFuzzerInitialize() sees the command line
 * first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static int replay(const char *name);
static uint8_t *read_file(const char *name, size_t *count);

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize != NULL) {
        LLVMFuzzerInitialize(&argc, &argv);
    }
    if (argc < 2) {
        fprintf(stderr, "usage: %s file ...\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (int i = 1; i < argc; i++) {
        if (replay(argv[i]) != 0) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static int replay(const char *name)
{
    size_t count = 0;
    uint8_t *data = read_file(name, &count);
    if (data == NULL) {
        perror(name);
        return -1;
    }
    const int result = LLVMFuzzerTestOneInput(data, count);
    free(data);
    return result;
}

/* The whole file, or NULL with errno saying why not. */
static uint8_t *read_file(const char *name, size_t *count)
{
    uint8_t *data = NULL;
    FILE *file = fopen(name, "rb");
    if (file == NULL) {
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) != 0) {
        goto close_file;
    }
    const long size = ftell(file);
    if (size < 0) {
        goto close_file;
    }
    rewind(file);
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL) {
        goto close_file;
    }
    *count = fread(data, 1, (size_t)size, file);
    if (*count != (size_t)size) {
        free(data);
        data = NULL;
    }

close_file:
    fclose(file);
    return data;
}
