/* status.c - the texts of status.h.
 *
 * To extend: add a line to STATUS_LIST; nothing here changes.
 */
#include "base/status.h"

#include "base/ensure.h"

const char *status_text(enum status status)
{
    switch (status) {
#define STATUS_TEXT(name, text)                                                \
    case name:                                                                 \
        return text;
        STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    case STATUS_COUNT:
        break;
    }
    UNREACHABLE();
}
