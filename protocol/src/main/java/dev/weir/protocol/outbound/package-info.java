/**
 * How frames leave: when a channel is flushed, and how many bytes may wait for sockets. Used by the
 * parent package alone, mostly on the channels' event loops.
 */
@NullMarked
package dev.weir.protocol.outbound;

import org.jspecify.annotations.NullMarked;
