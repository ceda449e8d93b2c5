dnl holdfast.m4 - the few macros configure.ac needs beyond Autoconf's own.
dnl
dnl They replace pkg.m4 and the Autoconf archive, so that "autoreconf -fi" asks
dnl for autoconf and automake and nothing else.

dnl HOLDFAST_TRY_FLAG(VARIABLE, FLAG)
dnl Add FLAG to VARIABLE if the compiler and the linker take it without a word.
AC_DEFUN([HOLDFAST_TRY_FLAG], [
  AS_VAR_PUSHDEF([cache], [holdfast_cv_flag_$2])
  AC_CACHE_CHECK([whether $CC accepts $2], [cache], [
    holdfast_saved_cflags=$CFLAGS
    holdfast_saved_ldflags=$LDFLAGS
    AS_CASE([$1],
      [*LDFLAGS], [LDFLAGS="$LDFLAGS $2"
                   CFLAGS="$CFLAGS -fPIE -Werror"],
      [CFLAGS="$CFLAGS -Werror $2"])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[extern int x; int x;]], [[x = 1;]])],
      [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$holdfast_saved_cflags
    LDFLAGS=$holdfast_saved_ldflags
  ])
  AS_VAR_IF([cache], [yes], [$1="$$1 $2"])
  AS_VAR_POPDEF([cache])
])

dnl HOLDFAST_TRY_FLAGS(VARIABLE, FLAGS)
dnl The same for each of a list.
AC_DEFUN([HOLDFAST_TRY_FLAGS],
  [m4_foreach_w([holdfast_flag], [$2],
    [HOLDFAST_TRY_FLAG([$1], m4_defn([holdfast_flag]))])])

dnl HOLDFAST_MISSING(WHAT, DEBIAN-PACKAGE)
dnl Remember that WHAT was not found; HOLDFAST_REPORT_MISSING tells all at once.
AC_DEFUN([HOLDFAST_MISSING], [
  holdfast_missing="$holdfast_missing
  $1 not found: install the Debian package '$2'"
  holdfast_missing_packages="$holdfast_missing_packages $2"
])

dnl HOLDFAST_NEED_MODULE(PREFIX, PKG-CONFIG-NAME, VERSION, DEBIAN-PACKAGE)
dnl Set PREFIX_CFLAGS and PREFIX_LIBS. Both may be given by the caller.
AC_DEFUN([HOLDFAST_NEED_MODULE], [
  AC_ARG_VAR([$1_CFLAGS], [compiler flags for $2, instead of pkg-config's])
  AC_ARG_VAR([$1_LIBS], [linker flags for $2, instead of pkg-config's])
  AC_MSG_CHECKING([for $2 >= $3])
  AS_IF([test -n "$$1_LIBS"], [AC_MSG_RESULT([given: $$1_LIBS])],
    [test -n "$PKG_CONFIG" && $PKG_CONFIG --exists "$2 >= $3" 2>/dev/null],
    [$1_CFLAGS=`$PKG_CONFIG --cflags $2`
     $1_LIBS=`$PKG_CONFIG --libs $2`
     AC_MSG_RESULT([`$PKG_CONFIG --modversion $2`])],
    [AC_MSG_RESULT([no])
     HOLDFAST_MISSING([$2 >= $3], [$4])])
])

dnl HOLDFAST_NEED_LIBRARY(PREFIX, HEADER, LIBRARY, FUNCTION, DEBIAN-PACKAGE)
dnl For a library that pkg-config does not know. Sets PREFIX_LIBS.
AC_DEFUN([HOLDFAST_NEED_LIBRARY], [
  AC_ARG_VAR([$1_LIBS], [linker flags for lib$3])
  AC_CHECK_HEADER([$2], [holdfast_header=yes], [holdfast_header=no])
  AC_CHECK_LIB([$3], [$4], [holdfast_library=yes], [holdfast_library=no])
  AS_IF([test "$holdfast_header$holdfast_library" = yesyes],
    [$1_LIBS=${$1_LIBS:--l$3}],
    [HOLDFAST_MISSING([lib$3 with <$2>], [$5])])
])

dnl HOLDFAST_REPORT_MISSING
dnl Stop if anything needed is not there.
AC_DEFUN([HOLDFAST_REPORT_MISSING], [
  AS_IF([test -n "$holdfast_missing"],
    [AC_MSG_ERROR([not everything needed is installed:
$holdfast_missing

On Debian: apt-get install$holdfast_missing_packages])])
])
