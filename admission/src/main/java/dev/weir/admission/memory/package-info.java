/**
 * What one request may hold of the gateway's memory: a ledger a request, pools for all together,
 * and what answers are expected to take as objects. Pure decisions that never block; safe on any
 * thread.
 */
@NullMarked
package dev.weir.admission.memory;

import org.jspecify.annotations.NullMarked;
