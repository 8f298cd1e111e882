/**
 * Decides which searches are identical, so that they can share one response. Pure; safe on any
 * thread.
 */
@NullMarked
package dev.weir.admission.coalesce;

import org.jspecify.annotations.NullMarked;
