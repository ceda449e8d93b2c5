/* bytes.c - comparing views of bytes.
 *
 * A count of 0 is set apart wherever a pointer would be used, because an empty
 * view may point to NULL and the C library may be given NULL for no length, not
 * even for 0.
 */
#include "base/bytes.h"

#include <string.h>

#include "base/ensure.h"

struct bytes bytes_of_text(const char *text)
{
    ENSURE(text != NULL);

    return bytes_of(text, strlen(text));
}

bool bytes_equal(struct bytes a, struct bytes b)
{
    if (a.count != b.count) {
        return false;
    }
    return a.count == 0 || memcmp(a.data, b.data, a.count) == 0;
}

int bytes_compare(struct bytes a, struct bytes b)
{
    const size_t common = a.count < b.count ? a.count : b.count;
    const int order = common > 0 ? memcmp(a.data, b.data, common) : 0;

    if (order != 0) {
        return order;
    }
    return (a.count > b.count) - (a.count < b.count);
}
