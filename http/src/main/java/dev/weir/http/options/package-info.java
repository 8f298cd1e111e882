/**
 * The configuration of a server: limits, timeouts and compression. Immutable records that the
 * assembly builds and all other packages of this module read on any thread.
 */
@NullMarked
package dev.weir.http.options;

import org.jspecify.annotations.NullMarked;
