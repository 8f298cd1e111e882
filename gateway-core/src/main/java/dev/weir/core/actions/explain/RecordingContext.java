package dev.weir.core.actions.explain;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What the recorded decisions of all requests share.
 *
 * @param nanoTime a monotonic clock, in nanoseconds
 * @param nodeNames supplies the current function from a node's id to its name
 */
record RecordingContext(LongSupplier nanoTime, Supplier<UnaryOperator<String>> nodeNames) {}
