/** What is kept of the newest requests, so that it can be said why their copies were chosen. */
@NullMarked
package dev.weir.core.actions.explain;

import org.jspecify.annotations.NullMarked;
