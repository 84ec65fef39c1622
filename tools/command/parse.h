/* parse: argv to an invocation, and help from the table. */
#ifndef TOOLS_COMMAND_PARSE_H
#define TOOLS_COMMAND_PARSE_H

#include "tools/command/command.h"

/*
 * Options may stand anywhere; after `--` nothing is an option.
 * ERR_USAGE, with in->detail: no such command or option, a value or a
 * positional is missing or too many. With in->help set nothing more is checked.
 */
enum err parse(int argc, char **argv, struct invocation *in);

/* Of the command, or of all whose words begin alike, or of the program. */
void print_help(const struct invocation *in, int argc, char **argv);

#endif
