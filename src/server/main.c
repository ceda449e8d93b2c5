/* main.c - holdfastd: the front end, and a replica behind it. */
#include "server/server.h"

int main(int argc, char **argv)
{
    return server_main(&server_options_holdfastd, &server_node_engine, argc,
                       argv);
}
