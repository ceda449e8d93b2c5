/* example_fenced.c - a write that only the present holder of a lock can make.
 *
 *     ./example_fenced 127.0.0.1:7001 127.0.0.1:8000 lock key value
 *
 * The first list of nodes is the cluster's, the second one the store's; they
 * may be the same.
 */
#include <holdfast.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    struct hf_options options = HF_OPTIONS_INIT;
    struct hf_client *cluster;
    struct hf_client *store;
    struct hf_lease *lease;
    struct hf_error error;

    if (count != 6) {
        (void)fprintf(stderr,
                      "usage: example_fenced NODES STORE LOCK KEY VALUE\n");
        return 2;
    }
    options.nodes = words[1];
    if (hf_client_open(&options, &cluster, &error) != HF_OK) {
        (void)fprintf(stderr, "cluster: %s\n", error.text);
        return 1;
    }
    options.nodes = words[2];
    if (hf_client_open(&options, &store, &error) != HF_OK) {
        (void)fprintf(stderr, "store: %s\n", error.text);
        hf_client_close(cluster);
        return 1;
    }
    enum hf_status status = hf_acquire(cluster, words[3], NULL, &lease, &error);
    if (status == HF_OK) {
        status = hf_fence_set(store, lease, words[4], words[5],
                              strlen(words[5]), &error);
        hf_lease_free(lease);
    }
    (void)printf("%s\n", status == HF_OK ? "written" : error.text);
    hf_client_close(store);
    hf_client_close(cluster);
    return status == HF_OK ? 0 : 1;
}
