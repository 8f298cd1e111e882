/**
 * What is counted, timed and shown: metrics, access log, stats. The only room that knows
 * Micrometer. Safe on any thread.
 */
@NullMarked
package dev.weir.observe;

import org.jspecify.annotations.NullMarked;
