/* bench_options.c - the command line of holdfast-bench.
 *
 * To add an option: a letter or number in the list, a case below it, a line in
 * the help and in man/holdfast-bench.1.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char help[] =
    "Usage: holdfast-bench [option ...]\n"
    "\n"
    "What to do\n"
    "  -m, --mode MODE      cycle (acquire, release; default), renew, "
    "handover\n"
    "                       (all for one lock), set, get, command\n"
    "      --acquire TEXT   command to take a lock; __key__ __owner__ "
    "__token__\n"
    "                       and __data__ stand for what they say\n"
    "      --renew TEXT     command to renew it\n"
    "      --release TEXT   command to give it back\n"
    "      --command TEXT   command of mode command; again for the next one\n"
    "\n"
    "How much of it\n"
    "  -c, --clients N      connections (50)\n"
    "  -P, --pipeline N     requests under way on each (1)\n"
    "  -d, --duration S     seconds (10)\n"
    "  -n, --count N        instead: cycles or commands\n"
    "  -w, --warmup S       seconds before that are not counted (0)\n"
    "  -r, --keys N         keys to draw from (100000)\n"
    "      --prefix TEXT    of the keys (bench:lock: or bench:data:)\n"
    "      --data-size N    bytes of __data__ (3)\n"
    "      --retry-ms N     pause after a refusal or an error (1)\n"
    "\n"
    "Where\n"
    "  -a, --address LIST   host:port or /path, in turn (127.0.0.1:7001)\n"
    "      --password TEXT  sent with AUTH\n"
    "\n"
    "What to see\n"
    "  -i, --interval S     a line every so many seconds, on standard error\n"
    "      --pids LIST      processor seconds of these processes too\n"
    "      --json           the result as one JSON object\n"
    "  -h, --help           this text\n";

enum {
    BENCH_OPTION_ACQUIRE = 256,
    BENCH_OPTION_RENEW,
    BENCH_OPTION_RELEASE,
    BENCH_OPTION_COMMAND,
    BENCH_OPTION_PREFIX,
    BENCH_OPTION_DATA_SIZE,
    BENCH_OPTION_RETRY_MS,
    BENCH_OPTION_PASSWORD,
    BENCH_OPTION_PIDS,
    BENCH_OPTION_JSON,
};

static const struct option long_options[] = {
    {"mode", required_argument, NULL, 'm'},
    {"clients", required_argument, NULL, 'c'},
    {"pipeline", required_argument, NULL, 'P'},
    {"duration", required_argument, NULL, 'd'},
    {"count", required_argument, NULL, 'n'},
    {"warmup", required_argument, NULL, 'w'},
    {"keys", required_argument, NULL, 'r'},
    {"address", required_argument, NULL, 'a'},
    {"interval", required_argument, NULL, 'i'},
    {"help", no_argument, NULL, 'h'},
    {"acquire", required_argument, NULL, BENCH_OPTION_ACQUIRE},
    {"renew", required_argument, NULL, BENCH_OPTION_RENEW},
    {"release", required_argument, NULL, BENCH_OPTION_RELEASE},
    {"command", required_argument, NULL, BENCH_OPTION_COMMAND},
    {"prefix", required_argument, NULL, BENCH_OPTION_PREFIX},
    {"data-size", required_argument, NULL, BENCH_OPTION_DATA_SIZE},
    {"retry-ms", required_argument, NULL, BENCH_OPTION_RETRY_MS},
    {"password", required_argument, NULL, BENCH_OPTION_PASSWORD},
    {"pids", required_argument, NULL, BENCH_OPTION_PIDS},
    {"json", no_argument, NULL, BENCH_OPTION_JSON},
    {NULL, 0, NULL, 0},
};

static void bench_options_take(struct bench_options *options, int option,
                               char *value);
static void bench_options_take_long(struct bench_options *options, int option,
                                    char *value);
static void bench_options_mode(struct bench_options *options, const char *word);
static void bench_options_addresses(struct bench_options *options, char *list);
static void bench_options_pids(struct bench_options *options, char *list);

static _Noreturn void bench_options_fail(const char *what, const char *value)
{
    (void)fprintf(stderr, "holdfast-bench: %s: %s\n", value, what);
    exit(1);
}

static double bench_options_number(const char *value, double least, double most)
{
    char *end;
    const double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= least && number <= most)) {
        bench_options_fail("not a number that is possible here", value);
    }
    return number;
}

void bench_options_read(struct bench_options *options, int argc, char **argv)
{
    char default_address[] = "127.0.0.1:7001";
    *options = (struct bench_options){
        .clients = 50,
        .pipeline = 1,
        .duration_s = 10,
        .keys = 100000,
        .data_bytes = 3,
        .retry_ms = 1,
        .acquire = "LOCK.ACQUIRE __key__ __owner__ 30000",
        .renew = "LOCK.RENEW __key__ __owner__ __token__ 30000",
        .release = "LOCK.RELEASE __key__ __owner__ __token__",
    };
    bench_options_mode(options, "cycle");
    int option;
    while ((option = getopt_long(argc, argv, "m:c:P:d:n:w:r:a:i:h",
                                 long_options, NULL)) != -1) {
        bench_options_take(options, option, optarg);
    }
    if (optind < argc) {
        bench_options_fail("options begin with - or --", argv[optind]);
    }
    if (options->addresses_count == 0) {
        bench_options_addresses(options, default_address);
    }
    if (options->mode == BENCH_COMMAND && options->commands_count == 0) {
        bench_options_fail("mode command needs --command", "mode");
    }
    if (options->prefix == NULL) {
        options->prefix =
            options->mode == BENCH_COMMAND ? "bench:data:" : "bench:lock:";
    }
    if (options->mode == BENCH_HANDOVER) {
        options->pipeline = 1; /* a waiting request holds those behind it */
    }
}

static void bench_options_take(struct bench_options *options, int option,
                               char *value)
{
    switch (option) {
    case 'm':
        bench_options_mode(options, value);
        return;
    case 'c':
        options->clients = (unsigned)bench_options_number(value, 1, 100000);
        return;
    case 'P':
        options->pipeline = (unsigned)bench_options_number(value, 1, 100000);
        return;
    case 'd':
        options->duration_s = bench_options_number(value, 0.001, 1e9);
        return;
    case 'n':
        options->sequences_max = (uint64_t)bench_options_number(value, 1, 1e15);
        options->duration_s = 0;
        return;
    case 'w':
        options->warmup_s = bench_options_number(value, 0, 1e9);
        return;
    case 'r':
        options->keys = (uint64_t)bench_options_number(value, 1, 1e15);
        return;
    case 'a':
        bench_options_addresses(options, value);
        return;
    case 'i':
        options->interval_s = bench_options_number(value, 0.001, 1e9);
        return;
    case 'h':
        (void)fputs(help, stdout);
        exit(0);
    case '?':
        exit(1);
    default:
        bench_options_take_long(options, option, value);
        return;
    }
}

static void bench_options_take_long(struct bench_options *options, int option,
                                    char *value)
{
    switch (option) {
    case BENCH_OPTION_ACQUIRE:
        options->acquire = value;
        return;
    case BENCH_OPTION_RENEW:
        options->renew = value;
        return;
    case BENCH_OPTION_RELEASE:
        options->release = value;
        return;
    case BENCH_OPTION_COMMAND:
        if (options->commands_count == BENCH_COMMANDS_MAX) {
            bench_options_fail("too many commands", value);
        }
        options->commands[options->commands_count++] = value;
        return;
    case BENCH_OPTION_PREFIX:
        options->prefix = value;
        if (strlen(value) > 128) {
            bench_options_fail("longer than 128 bytes", value);
        }
        return;
    case BENCH_OPTION_DATA_SIZE:
        options->data_bytes = (unsigned)bench_options_number(value, 0, 1 << 26);
        return;
    case BENCH_OPTION_RETRY_MS:
        options->retry_ms = (unsigned)bench_options_number(value, 0, 1e6);
        return;
    case BENCH_OPTION_PASSWORD:
        options->password = value;
        return;
    case BENCH_OPTION_PIDS:
        bench_options_pids(options, value);
        return;
    default:
        options->json = true;
        return;
    }
}

static void bench_options_mode(struct bench_options *options, const char *word)
{
    static const struct {
        const char *word;
        enum bench_mode mode;
        const char *command;
    } modes[] = {
        {"cycle", BENCH_CYCLE, NULL},
        {"renew", BENCH_RENEW, NULL},
        {"handover", BENCH_HANDOVER, NULL},
        {"set", BENCH_COMMAND, "SET __key__ __data__"},
        {"get", BENCH_COMMAND, "GET __key__"},
        {"command", BENCH_COMMAND, NULL},
    };
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(word, modes[i].word) == 0) {
            options->mode = modes[i].mode;
            options->mode_word = modes[i].word;
            if (modes[i].command != NULL) {
                options->commands[0] = modes[i].command;
                options->commands_count = 1;
            }
            return;
        }
    }
    bench_options_fail("no such mode", word);
}

static void bench_options_addresses(struct bench_options *options, char *list)
{
    char *rest = NULL;
    for (char *text = strtok_r(list, ",", &rest); text != NULL;
         text = strtok_r(NULL, ",", &rest)) {
        if (options->addresses_count == BENCH_ADDRESSES_MAX) {
            bench_options_fail("too many addresses", text);
        }
        struct bench_address *address =
            &options->addresses[options->addresses_count++];
        char *colon = text[0] == '/' ? NULL : strrchr(text, ':');
        if (colon != NULL) {
            *colon = '\0';
            address->port = (uint16_t)bench_options_number(colon + 1, 1, 65535);
        } else if (text[0] != '/') {
            bench_options_fail("not host:port", text);
        }
        size_t count = strlen(text);
        if (text[0] == '[' && count > 2 && text[count - 1] == ']') {
            text++;
            count -= 2;
        }
        if (count == 0 || count >= sizeof(address->host)) {
            bench_options_fail("not host:port", text);
        }
        memcpy(address->host, text, count);
        address->host[count] = '\0';
    }
}

static void bench_options_pids(struct bench_options *options, char *list)
{
    char *rest = NULL;
    for (char *text = strtok_r(list, ", ", &rest); text != NULL;
         text = strtok_r(NULL, ", ", &rest)) {
        const int pid = (int)bench_options_number(text, 1, 1 << 30);
        if (options->pids_count == BENCH_PIDS_MAX) {
            bench_options_fail("too many processes", text);
        }
        if (bench_stats_cpu_s(pid) < 0) {
            bench_options_fail("no such process", text);
        }
        options->pids[options->pids_count++] = pid;
    }
}
