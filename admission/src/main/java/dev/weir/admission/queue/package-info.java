/**
 * Adaptive limits of the calls in flight to each data node, and the queue of requests that wait for
 * them. Pure decisions that never block; safe on any thread.
 */
@NullMarked
package dev.weir.admission.queue;

import org.jspecify.annotations.NullMarked;
