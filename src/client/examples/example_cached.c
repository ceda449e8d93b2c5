/* example_cached.c - threads that share one lock with other processes.
 *
 *     ./example_cached 127.0.0.1:7001 key
 *
 * Run it twice at a time: each process keeps the lock for its own threads until
 * the other wants it.
 */
#include <holdfast.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4

static void *work(void *context)
{
    struct hf_cached *cached = context;
    for (int i = 0; i < 100000; i++) {
        uint64_t token;
        struct hf_error error;
        if (hf_cached_lock(cached, HF_WAIT_FOREVER, &token, &error) != HF_OK) {
            (void)fprintf(stderr, "%s\n", error.text);
            return NULL;
        }
        /* Work, and write with the token. */
        if (hf_cached_unlock(cached, token) == HF_LOST) {
            (void)fprintf(stderr, "lost while it was used\n");
        }
    }
    return NULL;
}

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_cached *cached;
    struct hf_error error;
    pthread_t threads[THREADS];

    if (count != 3) {
        (void)fprintf(stderr, "usage: example_cached NODES KEY\n");
        return 2;
    }
    options.nodes = words[1];
    if (hf_client_open(&options, &client, &error) != HF_OK ||
        hf_cached_open(client, words[2], NULL, &cached, &error) != HF_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, work, cached) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    hf_cached_close(cached);
    hf_client_close(client);
    return 0;
}
