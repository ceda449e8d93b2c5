/* cli_info.h - find fields in the reply to INFO. */
#ifndef HOLDFAST_CLI_INFO_H
#define HOLDFAST_CLI_INFO_H

#include "base/bytes.h"

/* The value of "name:value" on a line of its own; empty if there is none. */
struct bytes cli_info_text(struct bytes info, const char *name);

/* The same as a number; 0 if it is none. */
uint64_t cli_info_number(struct bytes info, const char *name);

#endif
