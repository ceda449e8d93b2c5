/* scenario_main.c - run a scenario script and print its transcript.
 *
 *     holdfast-scenario FILE
 *
 * A script is text in blocks: commands, a line of dashes, what came of them, an
 * empty line. This program prints the same text with what really came of them;
 * tests/scenario/run-scenarios compares the two. Comments (#) and empty lines
 * are passed through, and what stood beneath the dashes is not read at all, so
 * a new script needs only its commands.
 *
 * Exit status: 0 done; 1 an expectation or a rule of Raft was broken; 2 the
 * script cannot be understood.
 *
 * To extend: verbs are in scenario_verbs.c, expectations in scenario_expect.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "scenario/scenario_cluster.h"
#include "scenario/scenario_verbs.h"

#define SCENARIO_BLOCK_MAX 64

/* The commands of one block. */
struct scenario_block {
    struct scenario_command commands[SCENARIO_BLOCK_MAX];
    size_t count;
    bool skipping; /* in the old output */
};

static void scenario_main_add(struct scenario_block *block, const char *file,
                              size_t line, const char *text)
{
    struct scenario_command excess;
    if (block->count == SCENARIO_BLOCK_MAX) {
        scenario_script_parse(&excess, file, line, text);
        scenario_script_bad(&excess, "a block has at most %d commands",
                            SCENARIO_BLOCK_MAX);
    }
    scenario_script_parse(&block->commands[block->count++], file, line, text);
}

/* Execute the commands collected. In a block of several, each one is named
 * above its output; a block of nothing but expectations says "ok". */
static void scenario_main_execute(struct scenario_cluster *cluster,
                                  struct scenario_block *block)
{
    bool only_expects = true;
    printf("----\n");
    for (size_t i = 0; i < block->count; i++) {
        struct scenario_command *command = &block->commands[i];
        const bool expect = strncmp(command->text, "expect ", 7) == 0;
        only_expects = only_expects && expect;
        if (block->count > 1 && !expect) {
            printf("> %s\n", command->text);
        }
        scenario_verbs_execute(cluster, command);
        fflush(stdout);
    }
    if (only_expects) {
        printf("ok\n");
    }
    block->count = 0;
}

static void scenario_main_line(struct scenario_cluster *cluster,
                               struct scenario_block *block, const char *file,
                               size_t line, const char *text)
{
    if (block->skipping && text[0] != '\0') {
        return;
    }
    block->skipping = false;
    const bool dashes = strcmp(text, "----") == 0;
    if (block->count > 0 && (dashes || text[0] == '\0')) {
        scenario_main_execute(cluster, block);
        block->skipping = dashes;
    } else if (text[0] != '\0' && text[0] != '#' && !dashes) {
        scenario_main_add(block, file, line, text);
    }
    if (!dashes) {
        printf("%s\n", text);
    }
}

static void scenario_main_run(struct scenario_cluster *cluster, FILE *in,
                              const char *file)
{
    struct scenario_block *block = memory_new(1, sizeof *block);
    char *text = NULL;
    size_t room = 0;
    size_t line = 0;
    ssize_t length;
    while ((length = getline(&text, &room, in)) >= 0) {
        while (length > 0 && strchr("\n\r ", text[length - 1]) != NULL) {
            text[--length] = '\0';
        }
        scenario_main_line(cluster, block, file, ++line, text);
    }
    if (block->count > 0) {
        scenario_main_execute(cluster, block);
    }
    free(text);
    memory_free(block);
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: holdfast-scenario FILE\n\nverbs:\n");
        scenario_verbs_help(stderr);
        return 2;
    }
    FILE *in = fopen(argv[1], "r");
    if (in == NULL) {
        fprintf(stderr, "%s: cannot be read\n", argv[1]);
        return 2;
    }
    struct scenario_cluster *cluster = memory_new(1, sizeof *cluster);
    scenario_cluster_init(cluster);
    scenario_main_run(cluster, in, argv[1]);
    fclose(in);
    scenario_cluster_close(cluster);
    memory_free(cluster);
    ENSURE(memory_blocks_live() == 0);
    return 0;
}
