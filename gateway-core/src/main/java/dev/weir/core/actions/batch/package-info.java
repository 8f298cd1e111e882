/** Reports on the messages that carry the requests to several shards of a node. */
@NullMarked
package dev.weir.core.actions.batch;

import org.jspecify.annotations.NullMarked;
