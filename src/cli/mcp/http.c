#include "cli/mcp/transports.h"
#include "cli/program/command.h"
int mcp_serve_http(mcp_server *s, signals *sig)
{
    (void)s;
    (void)sig;
    return command_fail(EXIT_USAGE, "--http is not there yet");
}
