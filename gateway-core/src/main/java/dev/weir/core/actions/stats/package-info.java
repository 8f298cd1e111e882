/** Reports what the handlers of bulks did. Safe on any thread. */
@NullMarked
package dev.weir.core.actions.stats;

import org.jspecify.annotations.NullMarked;
