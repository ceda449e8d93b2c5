/* fence_main.c - holdfast-store: the front end, and a fenced store behind it.
 */
#include "fence/fence_engine.h"
#include "server/server.h"

int main(int argc, char **argv)
{
    return server_main(&fence_program, &fence_engine, argc, argv);
}
