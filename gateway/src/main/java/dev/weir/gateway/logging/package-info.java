/**
 * Writes log lines on a thread of their own, and reports dropped ones. Only this package uses
 * Logback. Loggers may be called on any thread.
 */
@NullMarked
package dev.weir.gateway.logging;

import org.jspecify.annotations.NullMarked;
