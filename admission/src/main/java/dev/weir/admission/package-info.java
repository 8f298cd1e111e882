/**
 * Decides which requests the gateway admits, and what they may hold. Pure decisions that never
 * block; safe on any thread.
 */
@NullMarked
package dev.weir.admission;

import org.jspecify.annotations.NullMarked;
