/**
 * How many event loops serve connections, and which one gets the next connection. Used by the
 * parent package alone.
 */
@NullMarked
package dev.weir.protocol.loop;

import org.jspecify.annotations.NullMarked;
