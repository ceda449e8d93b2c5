/* example_lock.c - take a lock, work while it is ours, give it back.
 *
 *     cc example_lock.c $(pkg-config --cflags --libs holdfast) -o example_lock
 *     ./example_lock 127.0.0.1:7001 my-lock
 */
#include <holdfast.h>
#include <stdio.h>
#include <unistd.h>

static void on_lost(void *context, struct hf_lease *lease,
                    enum hf_lost_reason reason)
{
    (void)context;
    (void)fprintf(stderr, "%s is lost%s\n", hf_lease_key(lease),
                  reason == HF_LOST_ENDED ? ": the server says so" : "");
}

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_lock_options how = HF_LOCK_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_lease *lease;
    struct hf_error error;

    if (count != 3) {
        (void)fprintf(stderr, "usage: example_lock NODES KEY\n");
        return 2;
    }
    options.nodes = words[1];
    if (hf_client_open(&options, &client, &error) != HF_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    how.wait_ms = 10000;
    how.on_lost = on_lost;
    if (hf_acquire(client, words[2], &how, &lease, &error) != HF_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
        hf_client_close(client);
        return 1;
    }
    for (int i = 0; i < 20 && hf_lease_ok(lease); i++) {
        (void)printf("token %llu, sure of it for %lld ms\n",
                     (unsigned long long)hf_lease_token(lease),
                     (long long)hf_lease_left_ms(lease));
        (void)usleep(500 * 1000);
    }
    hf_lease_free(lease);
    hf_client_close(client);
    return 0;
}
