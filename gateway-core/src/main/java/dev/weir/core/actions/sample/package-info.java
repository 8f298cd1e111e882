/** Which searches are answered by estimates from a part of their shards. */
@NullMarked
package dev.weir.core.actions.sample;

import org.jspecify.annotations.NullMarked;
