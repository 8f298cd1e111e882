/** How many bytes may be in flight to nodes at a time, and when a rejected write is repeated. */
@NullMarked
package dev.weir.core.coordinate.flow;

import org.jspecify.annotations.NullMarked;
