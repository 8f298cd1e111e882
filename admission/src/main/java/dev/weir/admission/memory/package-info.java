/**
 * Bounds the gateway's memory: an account for each request, pools that all requests share, and
 * estimates of the heap that decoded node responses take. Pure decisions that never block; safe on
 * any thread.
 */
@NullMarked
package dev.weir.admission.memory;

import org.jspecify.annotations.NullMarked;
