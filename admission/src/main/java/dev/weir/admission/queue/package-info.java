/**
 * Waiting before a data node: how much of each class of work a node may have at once, and in which
 * order what is beyond that waits, goes or is refused. Pure decisions that never block; safe on any
 * thread.
 */
@NullMarked
package dev.weir.admission.queue;

import org.jspecify.annotations.NullMarked;
