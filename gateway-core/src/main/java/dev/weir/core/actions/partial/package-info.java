/** Reports on what nodes reduce before they send the results of several shards. */
@NullMarked
package dev.weir.core.actions.partial;

import org.jspecify.annotations.NullMarked;
