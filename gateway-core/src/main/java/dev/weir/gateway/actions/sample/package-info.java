/** Which searches are answered by estimates from a part of their shards. */
@NullMarked
package dev.weir.gateway.actions.sample;

import org.jspecify.annotations.NullMarked;
