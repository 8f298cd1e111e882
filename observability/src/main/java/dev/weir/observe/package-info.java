/**
 * Metrics, the access log and request statistics. The only package that depends on Micrometer. Safe
 * on any thread.
 */
@NullMarked
package dev.weir.observe;

import org.jspecify.annotations.NullMarked;
