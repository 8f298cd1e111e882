/**
 * What is let in, and what it holds while it is. Pure decisions that never block; safe on any
 * thread.
 */
@NullMarked
package dev.weir.admission;

import org.jspecify.annotations.NullMarked;
