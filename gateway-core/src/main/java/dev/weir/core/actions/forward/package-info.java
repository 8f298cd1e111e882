/**
 * Has nodes coordinate single searches of a multi-search that the gateway can't. Called on the
 * request's event loop; never blocks.
 */
@NullMarked
package dev.weir.core.actions.forward;

import org.jspecify.annotations.NullMarked;
