/** Writes JSON that is known to need no escapes, as bytes. */
@NullMarked
package dev.weir.core.reduce.json;

import org.jspecify.annotations.NullMarked;
