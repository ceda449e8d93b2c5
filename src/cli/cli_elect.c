/* cli_elect.c - holdfast elect: one instance of a command in a fleet.
 *
 * Each machine of the fleet runs this. One of them gets the lock and runs the
 * command; when it ends, or its lease is lost, the lock goes to the next and
 * this one queues behind the others after a pause. What may pass, such as a
 * cluster that cannot be reached, is waited for; what will not, such as a
 * command that does not exist, ends it.
 */
#include "cli/cli.h"
#include "cli/cli_connect.h"
#include "cli/cli_hold.h"

struct cli_elect_turn {
    int code;
    bool is_final;
};

static struct cli_elect_turn cli_elect_stand(struct cli_hold *hold,
                                             struct hf_client *client);
static bool cli_elect_may_pass(enum hf_status status);

int cli_elect(const struct cli_options *options)
{
    struct cli_hold hold;
    struct hf_client *client = NULL;
    struct hf_error error = {HF_OK, ""};
    struct cli_elect_turn turn = {CLI_EXIT_FAILED, false};
    if (!cli_hold_open(&hold, options)) {
        return CLI_EXIT_FAILED;
    }
    do {
        if (client == NULL) {
            const enum hf_status status =
                cli_hold_connect(&hold, &client, &error);
            if (status != HF_OK) {
                turn.code = cli_connect_failed(options, NULL, status, &error);
                turn.is_final = !cli_elect_may_pass(status);
                continue;
            }
        }
        turn = cli_elect_stand(&hold, client);
    } while (!turn.is_final &&
             cli_hold_pause(&hold, options->restart_delay_ms));
    if (!turn.is_final) {
        turn.code = CLI_EXIT_SIGNAL + hold.end_signal;
    }
    hf_client_close(client);
    cli_hold_close(&hold);
    return turn.code;
}

static struct cli_elect_turn cli_elect_stand(struct cli_hold *hold,
                                             struct hf_client *client)
{
    const struct cli_hold_outcome outcome =
        cli_hold_run(hold, client, hold->options->arguments, 1);
    struct cli_elect_turn turn = {outcome.code, hold->end_signal != 0};
    switch (outcome.end) {
    case CLI_HOLD_ENDED:
    case CLI_HOLD_LOST:
        if (hold->options->once) {
            turn.is_final = true;
        } else if (!turn.is_final) {
            cli_connect_say("the command ended with %d, standing again",
                            outcome.code);
        }
        return turn;
    case CLI_HOLD_NOT_HELD:
        if (!cli_elect_may_pass(outcome.status)) {
            turn.is_final = true;
        }
        return turn;
    case CLI_HOLD_NOT_RUN:
        turn.is_final = true;
        return turn;
    }
    return turn;
}

static bool cli_elect_may_pass(enum hf_status status)
{
    return status == HF_UNREACHABLE || status == HF_NO_LEADER ||
           status == HF_TIMEOUT || status == HF_UNCERTAIN || status == HF_LOST;
}
