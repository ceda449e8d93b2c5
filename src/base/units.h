/* units.h - the scalar types that every folder shares.
 *
 * Times are milliseconds of a clock that never runs back; which clock it is
 * depends on who hands the value in, and the pure folders never ask.
 */
#ifndef HOLDFAST_BASE_UNITS_H
#define HOLDFAST_BASE_UNITS_H

#include <stdint.h>

typedef uint64_t time_ms_t;

/* Later than every real time: "no deadline". */
#define TIME_NEVER UINT64_MAX

#endif
