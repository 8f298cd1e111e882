/**
 * Bounds the gateway's memory: an account for each request, pools for all together, and estimates
 * of what node responses take when decoded. Pure decisions that never block; safe on any thread.
 */
@NullMarked
package dev.weir.admission.memory;

import org.jspecify.annotations.NullMarked;
