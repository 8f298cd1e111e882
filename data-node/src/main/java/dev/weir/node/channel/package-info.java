/** What features put between a handler and the channel of its response. */
@NullMarked
package dev.weir.node.channel;

import org.jspecify.annotations.NullMarked;
