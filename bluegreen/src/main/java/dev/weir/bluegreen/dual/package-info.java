/**
 * Repeats acknowledged writes on another cluster with the same ids and versions. Writes that the
 * other cluster does not acknowledge in time go to a log, which {@code weir repair} replays.
 * Requests are handled on their event loop without blocking; the log and a repair have threads of
 * their own.
 */
@NullMarked
package dev.weir.bluegreen.dual;

import org.jspecify.annotations.NullMarked;
