/**
 * Checks the practices of running OpenSearch on a live cluster: reads a snapshot, runs the checks,
 * and writes what they found, with the calls that mend it. It changes nothing. {@link
 * dev.weir.advice.Advisor} blocks, and belongs on a thread that may wait.
 */
@NullMarked
package dev.weir.advice;

import org.jspecify.annotations.NullMarked;
