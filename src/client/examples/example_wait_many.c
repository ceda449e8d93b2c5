/* example_wait_many.c - wait for several locks at once, with poll().
 *
 *     ./example_wait_many 127.0.0.1:7001 key key ...
 *
 * One thread, one connection, any number of locks: whichever is granted first
 * is used and given back first.
 */
#include <holdfast.h>
#include <poll.h>
#include <stdio.h>

#define KEYS_MAX 100

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *client;
    struct hf_lease *leases[KEYS_MAX];
    struct pollfd polled[KEYS_MAX];
    struct hf_error error;
    int left = count - 2;

    if (count < 3 || left > KEYS_MAX) {
        (void)fprintf(stderr, "usage: example_wait_many NODES KEY ...\n");
        return 2;
    }
    options.nodes = words[1];
    if (hf_client_open(&options, &client, &error) != HF_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (int i = 0; i < count - 2; i++) {
        if (hf_lease_begin(client, words[i + 2], NULL, &leases[i], &error) !=
            HF_OK) {
            (void)fprintf(stderr, "%s\n", error.text);
            return 1;
        }
        polled[i].fd = hf_lease_granted_fd(leases[i]);
        polled[i].events = POLLIN;
    }
    while (left > 0 && poll(polled, (nfds_t)(count - 2), -1) >= 0) {
        for (int i = 0; i < count - 2; i++) {
            if (polled[i].fd < 0 || polled[i].revents == 0) {
                continue;
            }
            (void)printf("%s: token %llu\n", hf_lease_key(leases[i]),
                         (unsigned long long)hf_lease_token(leases[i]));
            hf_lease_free(leases[i]);
            polled[i].fd = -1;
            left--;
        }
    }
    hf_client_close(client);
    return 0;
}
